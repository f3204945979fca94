/** The states of the dialogs for clips and trims, and of the pages of clips and trimmed videos. */
import type { Page } from 'playwright-core'
import type { LibraryFixture } from '../../library-data.ts'
import { addStudioFilm, openStudio } from '../../studio-film.ts'
import { choose, oncePerFixture, problem, type State, type States, signedIn } from '../state.ts'

const prepare = oncePerFixture(async (fixture) => {
  const { client } = fixture
  const id = await addStudioFilm(fixture, 'Evening at the harbor')
  await client.chapters.replace(id, { chapters: [{ title: 'Boats', start_seconds: 10 }] })
  const { id: clip } = await client.clips.create(id, { start_seconds: 8.04, end_seconds: 24, title: 'The lighthouse' })
  const trimmed = await client.clips.create(id, { start_seconds: 0, end_seconds: 40, title: 'Harbor, short' })
  await client.clips.trim(trimmed.id, { start_seconds: 4.2, end_seconds: 36 })
  return { id, clip, trimmed: trimmed.id }
})

type Ids = Awaited<ReturnType<typeof prepare>>
type Step = (page: Page, ids: Ids) => Promise<unknown>

async function openVideo(page: Page, { origin, organizationId }: LibraryFixture, id: string): Promise<void> {
  await page.goto(`${origin}/o/${organizationId}/videos/${id}`)
  await page.locator('reelkeep-player .frame[data-state=ready]').waitFor()
}

const video = (idOf: (ids: Ids) => string, then: Step = async () => {}): State =>
  signedIn(async (page, fixture) => {
    const ids = await prepare(fixture)
    await openVideo(page, fixture, idOf(ids))
    await then(page, ids)
  })

/** Opens a dialog and waits until it can be used. */
async function openPart(page: Page, item: 'Make a clip' | 'Trim the video'): Promise<void> {
  await choose(page, 'Cut', item)
  const dialog = page.getByRole('dialog', { name: item })
  await dialog.locator('reelkeep-player .frame[data-state=ready]').waitFor()
  await dialog.getByRole('slider', { name: 'Start of the part' }).waitFor()
}

async function choosePart(page: Page): Promise<void> {
  await page.getByLabel('Start', { exact: true }).fill('0:08.040')
  await page.getByLabel('End', { exact: true }).fill('24')
  await page.keyboard.press('Enter')
  await page.getByText('399 frames').waitFor()
}

/** The response is replaced, so that no screenshot adds a video. */
const renderedVideo = (id: string) => ({ id, title: 'The lighthouse', video: { status: 'Queued' } })

export const clipStates: States = {
  'clip-menu': video(
    ({ id }) => id,
    async (page) => {
      await page.getByRole('button', { name: 'Cut' }).click()
      await page.getByRole('menuitem', { name: 'Make a clip' }).waitFor()
    },
  ),
  'clip-dialog': video(
    ({ id }) => id,
    async (page) => {
      await openPart(page, 'Make a clip')
      await choosePart(page)
    },
  ),
  'clip-wrong': video(
    ({ id }) => id,
    async (page) => {
      await openPart(page, 'Make a clip')
      await choosePart(page)
      await page.getByLabel('Start', { exact: true }).fill('soon')
      await page.keyboard.press('Tab')
      await page.getByText('Write a time such as 1:15.480.').waitFor()
    },
  ),
  'clip-refused': {
    isFailing: true,
    ...video(
      ({ id }) => id,
      async (page) => {
        await openPart(page, 'Make a clip')
        await page.route('**/clips/', (route) => route.fulfill(problem(409, 'quota_exceeded')))
        await page.getByRole('button', { name: 'Create clip' }).click()
        await page.getByRole('alert').waitFor()
      },
    ),
  },
  'clip-render': video(
    ({ id }) => id,
    async (page) => {
      await openPart(page, 'Make a clip')
      await choosePart(page)
      await page.getByLabel('Render as a separate video').check()
    },
  ),
  'trim-silence': video(
    ({ id }) => id,
    async (page) => {
      await openPart(page, 'Trim the video')
      await page.getByRole('button', { name: 'Leave out the silence' }).waitFor()
    },
  ),
  'trim-dialog': video(
    ({ id }) => id,
    async (page) => {
      await openPart(page, 'Trim the video')
      await choosePart(page)
    },
  ),
  'trim-zoomed': video(
    ({ id }) => id,
    async (page) => {
      await openPart(page, 'Trim the video')
      await choosePart(page)
      for (let presses = 0; presses < 9; presses++) await page.getByRole('button', { name: 'Zoom in' }).click()
    },
  ),
  'clip-page': video(
    ({ clip }) => clip,
    (page) => page.getByRole('link', { name: 'Evening at the harbor' }).waitFor(),
  ),
  'clip-page-menu': video(
    ({ clip }) => clip,
    async (page) => {
      await page.getByRole('button', { name: 'Cut' }).click()
      await page.getByRole('menuitem', { name: 'Render as a separate video' }).waitFor()
    },
  ),
  'clip-rendering': video(
    ({ clip }) => clip,
    async (page, { id }) => {
      await page.route('**/render/', (route) => route.fulfill({ status: 201, json: renderedVideo(id) }))
      await choose(page, 'Cut', 'Render as a separate video')
      await page.getByText('is being rendered.').waitFor()
    },
  ),
  'trim-menu': video(
    ({ trimmed }) => trimmed,
    async (page) => {
      await page.getByRole('button', { name: 'Cut' }).click()
      await page.getByRole('menuitem', { name: 'Undo the trim' }).waitFor()
    },
  ),
  'trim-page': video(
    ({ trimmed }) => trimmed,
    (page) => page.getByText('Trimmed: viewers see').waitFor(),
  ),
  'trim-studio': signedIn(async (page, fixture) => {
    const { trimmed } = await prepare(fixture)
    await page.goto(`${fixture.origin}/o/${fixture.organizationId}/videos/${trimmed}/chapters`)
    await page.getByRole('heading', { level: 1, name: 'This video is trimmed' }).waitFor()
  }),
  'clip-studio': signedIn(async (page, fixture) => {
    const { id } = await prepare(fixture)
    await openStudio(page, fixture, id)
    await page.locator('reelkeep-player .frame[data-state=ready]').waitFor()
    await openPart(page, 'Make a clip')
  }),
}
