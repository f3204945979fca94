/** The states of the captions editor. */
import type { Page } from 'playwright-core'
import { addTrack, type CueText, captionsOpened, captionsUrl, vttOf } from '../captions-track.ts'
import type { LibraryFixture } from '../library-data.ts'
import { addStudioFilm } from '../studio-film.ts'
import { oncePerFixture, press, problem, type State, type States, signedIn } from './state.ts'

const english: readonly CueText[] = [
  [800, 3200, '<v Ada Lovelace>Good evening, and welcome to the observatory.'],
  [3400, 6800, '<v Ada Lovelace>Tonight we look at Saturn,\nand at the moons that Galileo never saw.'],
  [7000, 7900, 'These words are far too many for the short time that they are shown.'],
  [8200, 12_000, '<v Grace Hopper>Before we start: please switch off all lamps.'],
  [11_500, 14_800, 'The telescope needs a moment to cool down.'],
  [16_000, 19_400, '<v Ada Lovelace>What you see here was drawn in 1659.'],
  [20_000, 24_000, 'It took fifty years until anyone understood the rings.'],
  [24_400, 28_000, 'They are <i>not</i> solid.'],
  [29_000, 33_000, 'They are ice: from grains to pieces as large as a house.'],
  [34_000, 38_000, '<v Grace Hopper>Are there any questions so far?'],
]
const german: readonly CueText[] = [
  [800, 3200, 'Guten Abend, und willkommen in der Sternwarte.'],
  [3400, 6800, 'Heute sehen wir uns den Saturn an,\nund die Monde, die Galilei nie sah.'],
  [8200, 12_000, 'Bevor wir beginnen: Bitte schalten Sie alle Lampen aus.'],
]

/** A film with captions in two languages. */
export const prepareLecture = oncePerFixture(async (fixture) => {
  const video = await addStudioFilm(fixture, 'Lecture at the observatory, with captions')
  const track = await addTrack(fixture, video, { cues: english })
  await addTrack(fixture, video, { cues: german, language: 'de', label: 'Deutsch' })
  return { video, track }
})

type Place = Awaited<ReturnType<typeof prepareLecture>>
type Step = (page: Page, fixture: LibraryFixture, place: Place) => Promise<unknown>

/** The editor, with the third caption selected. */
const captions = (then: Step = async () => {}): State =>
  signedIn(async (page, fixture) => {
    const place = await prepareLecture(fixture)
    await page.goto(captionsUrl(fixture, place))
    await captionsOpened(page)
    for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key)
    await then(page, fixture, place)
  })

const chooseAction = async (page: Page, name: string) => {
  await press(page, 'More actions')
  await page.getByRole('menuitem', { name }).click()
  await page.getByRole('dialog').waitFor()
}

/** Changes a caption, and saves after someone else has changed it. */
async function conflict(page: Page, { client }: LibraryFixture, { video, track }: Place): Promise<void> {
  await page.keyboard.press('r')
  await page.keyboard.type(' Really.')
  await page.keyboard.press('Escape')
  await client.subtitles.replace(video, track, { content: vttOf(english).replace('far too many', 'too many') })
  await press(page, 'Save')
  await page.getByRole('dialog', { name: 'Someone else changed the same captions' }).waitFor()
  await page.getByRole('radio').first().check()
  await client.subtitles.replace(video, track, { content: vttOf(english) })
}

const text = (wanted: string) => (page: Page) => page.getByText(wanted).first().waitFor()

export const captionStates: States = {
  captions: captions(),
  'captions-zoomed': captions(async (page) => {
    for (let presses = 0; presses < 5; presses++) await page.keyboard.press('+')
  }),
  'captions-editing': captions(async (page) => {
    await page.keyboard.press('r')
    await page.keyboard.type(' Now.')
  }),
  'captions-beside': captions(async (page) => {
    await page.getByRole('combobox', { name: 'Second language' }).selectOption({ label: 'Deutsch' })
    await text('Guten Abend, und willkommen')(page)
  }),
  'captions-find': captions(async (page) => {
    await page.keyboard.press('f')
    await page.keyboard.type('the')
    await text('found')(page)
    await page.keyboard.press('Enter')
  }),
  'captions-menu': captions(async (page) => {
    await press(page, 'More actions')
    await page.getByRole('menu').waitFor()
  }),
  'captions-shift': captions((page) => chooseAction(page, 'Shift the times')),
  'captions-versions': captions(async (page) => {
    await chooseAction(page, 'Earlier versions')
    await text('Version 1')(page)
  }),
  'captions-conflict': captions(conflict),
  'captions-leave': captions(async (page) => {
    await page.keyboard.press('s')
    await page.getByRole('link', { name: 'Lecture at the observatory, with captions' }).click()
    await page.getByRole('alertdialog').waitFor()
  }),
  'captions-empty': captions(async (page) => {
    for (let presses = 0; presses < english.length; presses++) await page.keyboard.press('Delete')
    await text('No captions. Play the video')(page)
  }),
  'captions-shortcuts': captions(async (page) => {
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  }),
  'captions-missing': signedIn(async (page, fixture) => {
    const { video } = await prepareLecture(fixture)
    await page.goto(captionsUrl(fixture, { video, track: '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e' }))
    await text('The captions do not exist')(page)
  }),
  'captions-error': {
    isFailing: true,
    ...signedIn(async (page, fixture) => {
      const place = await prepareLecture(fixture)
      await page.route('**/versions/', (route) => route.fulfill(problem(500, 'internal_error')))
      await page.goto(captionsUrl(fixture, place))
      await text('The captions cannot be shown')(page)
    }),
  },
}
