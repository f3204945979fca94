/** Clips and trims in the dashboard, in Chromium with a real API, worker and player. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { accessibilityViolations } from '../accessibility.ts'
import { focused, press, pressButton, reach } from './keyboard.ts'
import { openLibraryFixture } from './library-data.ts'
import { memberCookies } from './page-states.ts'
import { addStudioFilm, FRAME_RATE, openStudio } from './studio-film.ts'

const TITLE = 'Evening at the harbor'

const fixture = await opened(openLibraryFixture('dashboard_clips'))
const { client, organizationId, origin } = fixture
const film = await addStudioFilm(fixture, TITLE)
const storageState = await memberCookies(fixture)

beforeEach(() => client.clips.untrim(film))

const isReady = (page: Page, within = '') =>
  page.locator(`${within} reelkeep-player .frame[data-state=ready]`).waitFor()

async function openVideo(id = film) {
  const opened = await fixture.newPage({ storageState, viewport: { width: 1440, height: 900 } })
  await opened.page.goto(`${origin}/o/${organizationId}/videos/${id}`)
  await isReady(opened.page)
  return opened
}

/** Opens the menu and a dialog with the keyboard. */
async function openPart(page: Page, item: 'Make a clip' | 'Trim the video') {
  await pressButton(page, 'Cut')
  await reach(page, page.getByRole('menuitem', { name: item }), 'ArrowDown')
  await press(page, 'Enter')
  await page.getByRole('dialog', { name: item }).waitFor()
  await isReady(page, '[role=dialog]')
}

const handle = (page: Page, name: 'Start' | 'End') => page.getByRole('slider', { name: `${name} of the part` })
const timeOf = (page: Page, name: 'Start' | 'End') => handle(page, name).getAttribute('aria-valuetext')
const toast = (page: Page, text: string) => page.getByRole('region', { name: 'Messages' }).getByText(text).waitFor()
const trimOf = async (id: string) => (await client.assets.read(id)).video.trim

const shownFrame = (page: Page) =>
  page.evaluate<number>(
    `Math.floor(document.querySelector('[role=dialog] reelkeep-player').currentTime * ${FRAME_RATE})`,
  )

it('a clip is made with the keyboard only, and says of what', async () => {
  const { page, problems } = await openVideo()
  await openPart(page, 'Make a clip')

  // Typed, then a frame earlier and ten later; then the shown frame.
  await reach(page, page.getByLabel('Start', { exact: true }))
  await press(page, 'Control+a')
  await page.keyboard.type('0:08.040')
  await press(page, 'Enter')
  expect(await timeOf(page, 'Start')).toBe('0:08.040')
  await expect.poll(() => shownFrame(page)).toBe(201)
  await press(page, 'ArrowDown', 'Shift+ArrowUp')
  expect(await timeOf(page, 'Start')).toBe('0:08.400')
  await expect.poll(() => shownFrame(page)).toBe(210)
  await reach(page, handle(page, 'End'), 'Shift+Tab')
  await press(page, 'Home')
  expect(await timeOf(page, 'End')).toBe('0:08.440')
  await press(page, 'PageUp', 'PageUp', 'ArrowRight', 'Shift+ArrowRight')
  expect(await timeOf(page, 'End')).toBe('0:10.880')
  await expect.poll(() => shownFrame(page)).toBe(271)
  await reach(page, page.getByRole('button', { name: 'One frame back' }), 'Shift+Tab')
  await press(page, 'Enter', 'Enter', 'o')
  expect(await timeOf(page, 'End')).toBe('0:10.800')
  await press(page, 'ArrowLeft', 'ArrowLeft', 'i')
  expect([await timeOf(page, 'Start'), await timeOf(page, 'End')]).toEqual(['0:10.680', '0:10.800'])
  await page.getByRole('dialog').getByText('3 frames').waitFor()

  // What is not a time, or in the wrong order, is explained and not used.
  await reach(page, page.getByLabel('End', { exact: true }))
  await press(page, 'Control+a')
  await page.keyboard.type('0:09')
  await press(page, 'Enter')
  await page.getByText('The start must be before the end.').waitFor()
  await press(page, 'Control+a')
  await page.keyboard.type('1:30')
  await press(page, 'Enter')
  await page.getByText('The video ends at 0:56.000.').waitFor()
  await press(page, 'Control+a')
  await page.keyboard.type('0:20.2')
  await press(page, 'Tab')
  expect(await timeOf(page, 'End')).toBe('0:20.200')

  await reach(page, page.getByLabel('Title of the clip'))
  await press(page, 'Control+a')
  await page.keyboard.type('The lighthouse')
  await press(page, 'Enter')
  await toast(page, '“The lighthouse” was created.')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await expect.poll(() => focused(page)).toContain('Cut')
  await reach(page, page.getByRole('button', { name: 'Open the video' }))
  await press(page, 'Enter')
  await page.getByRole('heading', { level: 1, name: 'The lighthouse' }).waitFor()
  const origins = page.getByRole('note', { name: 'Clip' })
  await origins.getByText('Clip from 0:10.680 to 0:20.200 of').waitFor()
  await isReady(page)
  expect(await page.evaluate('document.querySelector("reelkeep-player").duration')).toBeCloseTo(9.52, 3)
  expect(await accessibilityViolations(page)).toEqual([])
  await reach(page, origins.getByRole('link', { name: TITLE }))
  await press(page, 'Enter')
  await page.getByRole('heading', { level: 1, name: TITLE }).waitFor()
  expect(problems).toEqual([])
})

it('a video is trimmed, trimmed again, and shown as a whole again, with the keyboard only', async () => {
  const { page, problems } = await openVideo()
  await client.chapters.replace(film, { chapters: [{ title: 'Boats', start_seconds: 10 }] })
  await openPart(page, 'Trim the video')
  await reach(page, handle(page, 'Start'))
  await press(page, 'PageUp', 'PageUp', 'PageUp', 'PageUp')
  await reach(page, handle(page, 'End'))
  await press(page, 'PageDown', 'ArrowLeft')
  await pressButton(page, 'Trim')
  await toast(page, 'Viewers now see 0:50 of the video.')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  expect(await trimOf(film)).toEqual({ start_seconds: 4, end_seconds: 54.96, whole_duration: 56 })
  await page.getByText('Trimmed: viewers see the part from 0:04 to 0:54.960 of 0:56.').waitFor()
  await page.getByRole('button', { name: 'Play from 0:06: Boats' }).waitFor()
  const duration = () => page.evaluate<number>('document.querySelector("reelkeep-player").duration')
  await expect.poll(duration).toBeCloseTo(50.96, 3)

  // Times of a video that is trimmed already are those of the part.
  await openPart(page, 'Trim the video')
  await reach(page, handle(page, 'End'))
  await press(page, 'Shift+ArrowLeft')
  expect(await timeOf(page, 'End')).toBe('0:50.560')
  await pressButton(page, 'Trim')
  await toast(page, 'Viewers now see 0:50 of the video.')
  await expect.poll(() => trimOf(film)).toEqual({ start_seconds: 4, end_seconds: 54.56, whole_duration: 56 })
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await reach(page, page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).last())
  await press(page, 'Enter')
  await expect.poll(() => trimOf(film)).toEqual({ start_seconds: 4, end_seconds: 54.96, whole_duration: 56 })
  await page.getByText('to 0:54.960 of 0:56.').waitFor()

  await pressButton(page, 'Undo the trim')
  await page.getByText('Trimmed: viewers see').waitFor({ state: 'hidden' })
  expect(await trimOf(film)).toBeNull()
  await expect.poll(duration).toBeCloseTo(56, 3)
  expect(problems).toEqual([])
})

it('silence at the end is offered to be left out, and only left out when this is accepted', async () => {
  const { page } = await openVideo()
  await openPart(page, 'Trim the video')
  // The last scene ends with 1.5 seconds of silence.
  await page.getByText('The video is silent from 0:54.600 to its end.').waitFor()
  expect(await timeOf(page, 'End')).toBe('0:56.000')
  await pressButton(page, 'Leave out the silence')
  expect(await timeOf(page, 'End')).toBe('0:54.600')
  await page.getByText('The video is silent').waitFor({ state: 'detached' })
  expect(await accessibilityViolations(page)).toEqual([])
  expect(await trimOf(film)).toBeNull()
})

it('a part is chosen with handles that are dragged, and played from its start to its end', async () => {
  const { page } = await openVideo()
  await openPart(page, 'Trim the video')
  const stage = await page.getByRole('dialog').getByRole('region', { name: 'Timeline' }).locator('> div').boundingBox()
  const start = await handle(page, 'Start').boundingBox()
  if (!start || !stage) throw new Error('The timeline is not shown.')
  const y = start.y + start.height - 12
  const x = start.x + 8
  const pixelsPerSecond = stage.width / 56
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + pixelsPerSecond * 18, y, { steps: 6 })
  await page.mouse.move(x + pixelsPerSecond * 20.3, y, { steps: 6 })
  await page.mouse.up()
  const [, seconds] = (await timeOf(page, 'Start'))?.split(':') ?? []
  expect(Math.abs(Number(seconds) - 20.3)).toBeLessThan(0.2)
  const frame = Number(seconds) * FRAME_RATE
  expect(frame).toBeCloseTo(Math.round(frame), 6)

  await page.getByLabel('End', { exact: true }).fill((Number(seconds) + 0.6).toFixed(3))
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Play the part' }).click()
  await page.getByRole('button', { name: 'Play the part' }).waitFor()
  await expect.poll(() => shownFrame(page)).toBe(Math.round(Number(seconds) * FRAME_RATE) + 14)
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await trimOf(film)).toBeNull()
})

it('a trim says in plain words that someone else has changed the video, and then works', async () => {
  const { page } = await openVideo()
  await openPart(page, 'Trim the video')
  await page.getByLabel('Start', { exact: true }).fill('12')
  await page.keyboard.press('Enter')
  // An answer that comes too late for the page to read the video again.
  await page.route('**/trim/', (route) =>
    route.continue({ headers: { ...route.request().headers(), 'if-match': '"1"' } }),
  )
  await page.getByRole('button', { name: 'Trim', exact: true }).click()
  await page.getByText('Someone else has changed the video in the meantime.').waitFor()
  await page.unroute('**/trim/')
  await page.getByRole('button', { name: 'Trim', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  expect(await trimOf(film)).toMatchObject({ start_seconds: 12 })
})

it('a part is rendered as a separate video, from the dialog and from the page of a clip', async () => {
  const { page, problems } = await openVideo()
  await openPart(page, 'Make a clip')
  await page.getByLabel('Start', { exact: true }).fill('5.2')
  await page.getByLabel('End', { exact: true }).fill('9.52')
  await page.keyboard.press('Enter')
  await page.getByLabel('Title of the clip').fill('Rendered')
  await page.getByLabel('Render as a separate video').check()
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Render', exact: true }).click()
  await toast(page, '“Rendered” is being rendered.')
  await page.getByRole('button', { name: 'Open the video' }).click()
  await page.getByRole('heading', { level: 1, name: 'Rendered' }).waitFor()
  await isReady(page)
  await page.getByRole('note', { name: 'Clip' }).waitFor({ state: 'detached' })
  expect(await page.evaluate('document.querySelector("reelkeep-player").duration')).toBeCloseTo(4.32, 3)

  const clip = await client.clips.create(film, { start_seconds: 8, end_seconds: 12, title: 'A clip' })
  await page.goto(`${origin}/o/${organizationId}/videos/${clip.id}`)
  await isReady(page)
  await pressButton(page, 'Cut')
  await reach(page, page.getByRole('menuitem', { name: 'Render as a separate video' }), 'ArrowDown')
  await press(page, 'Enter')
  await toast(page, '“A clip” is being rendered.')
  expect(problems).toEqual([])
})

it('the studio makes clips too, and opens trimmed videos only as a whole', async () => {
  const { page, problems } = await fixture.newPage({ storageState, viewport: { width: 1440, height: 900 } })
  await openStudio(page, fixture, film)
  await isReady(page)
  await openPart(page, 'Make a clip')
  await page.getByLabel('End', { exact: true }).fill('8')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Create clip' }).click()
  await toast(page, `“Clip of ${TITLE}” was created.`)
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await client.clips.trim(film, { start_seconds: 4, end_seconds: 20 })
  await page.getByRole('heading', { level: 1, name: 'This video is trimmed' }).waitFor()
  await pressButton(page, 'Undo the trim')
  await page.getByRole('heading', { level: 1, name: 'Chapters' }).waitFor()
  expect(await trimOf(film)).toBeNull()
  expect(problems).toEqual([])
})
