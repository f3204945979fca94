/** The states of the chapter editor. */
import type { Page, Route } from 'playwright-core'
import type { LibraryFixture } from '../library-data.ts'
import { addStudioFilm, openStudio, studioUrl } from '../studio-film.ts'
import { prepareLecture } from './captions.ts'
import { prepareLibrary } from './library-content.ts'
import { oncePerFixture, press, problem, type State, type States, signedIn } from './state.ts'

const chapters = [
  { title: 'Welcome', start_seconds: 0 },
  { title: 'The night sky over the fjord', start_seconds: 8 },
  { title: 'Equipment', start_seconds: 20.48 },
  { title: 'Questions from the audience, and a short break', start_seconds: 32 },
  { title: 'Credits', start_seconds: 50.12 },
]

const prepareFilm = oncePerFixture(async (fixture) => {
  const id = await addStudioFilm(fixture, 'Lecture at the observatory')
  await fixture.client.chapters.replace(id, { chapters })
  return id
})

type Step = (page: Page, fixture: LibraryFixture, id: string) => Promise<unknown>

/** The editor with a film, at a position in its third chapter. */
const studio = (then: Step = async () => {}): State =>
  signedIn(async (page, fixture) => {
    const id = await prepareFilm(fixture)
    await openStudio(page, fixture, id)
    await page.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().waitFor()
    for (let presses = 0; presses < 23; presses++) await page.keyboard.press('Shift+ArrowRight')
    await then(page, fixture, id)
  })

const selectChapter = (page: Page, title: string) =>
  page.getByRole('button', { name: new RegExp(`^Go to .*: ${title}$`) }).click()

/** Renames a chapter, and saves after someone else has renamed it. */
async function conflict(page: Page, { client }: LibraryFixture, id: string): Promise<void> {
  await selectChapter(page, 'Equipment')
  await page.keyboard.press('r')
  await page.keyboard.type('Cameras and lenses')
  await page.keyboard.press('Enter')
  await selectChapter(page, 'Credits')
  await page.keyboard.press('.')
  const theirs = chapters.map((chapter) =>
    chapter.title === 'Equipment' ? { ...chapter, title: 'Telescopes', start_seconds: 20.48 } : chapter,
  )
  await client.chapters.replace(id, { chapters: theirs.filter(({ title }) => title !== 'Credits') })
  await press(page, 'Save')
  await page.getByRole('dialog', { name: 'Someone else changed the same chapters' }).waitFor()
  await page.getByRole('radio').first().check()
  await client.chapters.replace(id, { chapters })
}

async function paste(page: Page): Promise<void> {
  await press(page, 'Paste a table of contents')
  await page
    .getByRole('textbox', { name: 'One chapter per line, each with its time first' })
    .fill('0:00 Welcome\n0:12.480 The night sky\nInterview 0:20\n0:31 Questions\n9:00 Credits')
  await page.getByText('2 lines are not used.').waitFor()
}

const text = (wanted: string) => (page: Page) => page.getByText(wanted).first().waitFor()

const topicGroup = (page: Page) => page.getByRole('region', { name: 'From the captions' })

/** The suggestions for a video with captions. */
const lecture = (then: (page: Page) => Promise<unknown>): State =>
  signedIn(async (page, fixture) => {
    const { video } = await prepareLecture(fixture)
    await openStudio(page, fixture, video)
    await page.getByRole('tab', { name: 'Suggestions' }).click()
    await topicGroup(page).waitFor()
    await then(page)
  })

const topics = [
  { start_seconds: 8.2, title: 'Lamps and telescopes' },
  { start_seconds: 24.4, title: 'What was drawn in 1659, and why it took fifty years to understand it' },
  { start_seconds: 44, title: null },
]

const isPost = (route: Route) => route.request().method() === 'POST'

/** Finds these topics, whatever the service would find. */
async function findTopics(page: Page, proposals: typeof topics): Promise<void> {
  await page.route('**/chapters/proposals/', (route) =>
    isPost(route) ? route.fulfill({ json: { proposals } }) : route.fallback(),
  )
  await press(page, 'Find topics')
}

export const studioStates: States = {
  studio: studio(),
  'studio-zoomed': studio(async (page) => {
    await selectChapter(page, 'Equipment')
    for (let presses = 0; presses < 12; presses++) await page.keyboard.press('+')
  }),
  'studio-changed': studio(async (page) => {
    await page.keyboard.press('s')
    await page.keyboard.press('r')
    await page.keyboard.type('A second telescope')
  }),
  'studio-dragging': studio(async (page) => {
    const handle = page.getByRole('slider', { name: 'Start of Equipment' })
    const box = await handle.boundingBox()
    if (!box) throw new Error('The handle is not shown.')
    await page.mouse.move(box.x + box.width / 2, box.y + box.height - 12)
    await page.mouse.down()
    await page.mouse.move(box.x + 40, box.y + box.height - 12, { steps: 4 })
  }),
  'studio-suggestions': studio(async (page) => {
    await page.getByRole('tab', { name: 'Suggestions' }).click()
    await page.getByRole('heading', { name: 'After pauses' }).waitFor()
  }),
  'studio-suggestion': studio(async (page) => {
    await page.keyboard.press('v')
    await page.keyboard.press('v')
    await page.getByRole('heading', { name: 'After pauses' }).waitFor()
  }),
  'studio-topics': lecture(text('Find topics')),
  'studio-topics-finding': lecture(async (page) => {
    await page.route('**/chapters/proposals/', (route) => {
      if (!isPost(route)) return route.fallback()
    })
    await press(page, 'Find topics')
    await text('The captions are being read.')(page)
  }),
  'studio-topics-found': lecture(async (page) => {
    await findTopics(page, topics)
    await topicGroup(page)
      .getByRole('textbox')
      .nth(topics.length - 1)
      .waitFor()
  }),
  'studio-topics-none': lecture(async (page) => {
    await findTopics(page, [])
    await text('No topics were found.')(page)
  }),
  'studio-empty': signedIn(async (page, fixture) => {
    const { idOf } = await prepareLibrary(fixture)
    await openStudio(page, fixture, idOf('Onboarding, part 1'), 8)
    await text('No chapters yet')(page)
  }),
  'studio-paste': studio(paste),
  'studio-conflict': studio(conflict),
  'studio-leave': studio(async (page) => {
    await page.keyboard.press('s')
    await page.getByRole('link', { name: 'Lecture at the observatory' }).click()
    await page.getByRole('alertdialog').waitFor()
  }),
  'studio-restored': studio(async (page) => {
    await page.keyboard.press('s')
    await text('Unsaved changes')(page)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await text('Your unsaved changes from an earlier visit are shown.')(page)
  }),
  'studio-shortcuts': studio(async (page) => {
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  }),
  'studio-not-ready': signedIn(async (page, fixture) => {
    const { waiting } = await prepareLibrary(fixture)
    await page.goto(studioUrl(fixture, waiting))
    await text('The timeline is not ready')(page)
  }),
  'studio-error': {
    isFailing: true,
    ...signedIn(async (page, fixture) => {
      const id = await prepareFilm(fixture)
      await page.route('**/chapters/?*', (route) => route.fulfill(problem(500, 'internal_error')))
      await page.goto(studioUrl(fixture, id))
      await text('The chapters cannot be shown')(page)
    }),
  },
}
