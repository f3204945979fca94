/** The states of the search in videos. */
import type { Page, Route } from 'playwright-core'
import type { LibraryFixture } from '../library-data.ts'
import { prepareLecture } from './captions.ts'
import { prepareLibrary } from './library-content.ts'
import { failing, oncePerFixture, problem, type State, type States, signedIn } from './state.ts'

/** Videos in which "rings" is said, is a chapter, and is in a title, and "Saturn" in two languages. */
const prepareSearch = oncePerFixture(async (fixture) => {
  const { client } = fixture
  const library = await prepareLibrary(fixture)
  const { video } = await prepareLecture(fixture)
  const chapters = [
    { title: 'Welcome', start_time: '0:00:00' },
    { title: 'Saturn and its rings', start_time: '0:00:16' },
    { title: 'Questions', start_time: '0:00:34' },
  ]
  await client.chapters.add(video, { chapters })
  const { idOf, folder } = library
  await client.assets.update(idOf('Open air, main stage'), { description: 'The last song before the bell rings.' })
  return { folder }
})

type Step = (page: Page) => Promise<unknown>
type Prepared = Awaited<ReturnType<typeof prepareSearch>>

async function openSearch(page: Page, { origin, organizationId }: LibraryFixture, query: string): Promise<void> {
  await page.goto(`${origin}/o/${organizationId}/search${query}`)
  await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
}

const state = (queryOf: (prepared: Prepared) => string, then: Step): State =>
  signedIn(async (page, fixture) => {
    await openSearch(page, fixture, queryOf(await prepareSearch(fixture)))
    await then(page)
  })

const text = (wanted: string) => (page: Page) => page.getByText(wanted).first().waitFor()

type FoundPage = { readonly results: readonly { readonly moments: readonly object[] }[] }

/** The response of a service that compares meanings: moments without these words, and an unknown number of videos. */
async function foundByMeaning(route: Route): Promise<void> {
  const response = await route.fetch()
  const found = (await response.json()) as FoundPage
  const results = found.results.map((result) => ({
    ...result,
    moments: result.moments.map((moment) => ({ ...moment, highlights: [] })),
  }))
  await route.fulfill({ response, json: { ...found, count: null, results } })
}

export const searchStates: States = {
  search: state(() => '', text('Find the moment')),
  'search-found': state(() => '?q=rings', text('2 videos')),
  'search-captions': state(() => '?q=saturn&in=transcript', text('1 video')),
  'search-meaning': signedIn(async (page, fixture) => {
    await prepareSearch(fixture)
    await page.route(/\/search\/\?/, foundByMeaning)
    await openSearch(page, fixture, '?q=rings')
    await text('Most relevant videos')(page)
  }),
  'search-folder': state(({ folder }) => `?q=bell&folder=${folder}`, text('1 video')),
  'search-nothing': state(() => '?q=nowhere&in=chapters', text('Nothing found')),
  'search-failed': failing(
    signedIn(async (page, fixture) => {
      await page.route(/\/search\/\?/, (route) => route.fulfill(problem(500, 'internal_error')))
      await openSearch(page, fixture, '?q=rings')
      await page.getByRole('button', { name: 'Try again' }).waitFor()
    }),
  ),
  'search-palette': signedIn(async (page, fixture) => {
    await prepareSearch(fixture)
    await openSearch(page, fixture, '')
    await page.keyboard.press('Control+k')
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.type('rings')
    await page.getByRole('menuitem', { name: /understood the rings/ }).waitFor()
  }),
}
