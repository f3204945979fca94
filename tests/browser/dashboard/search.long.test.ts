/** The search in videos in Chromium, with a real API, worker and player. All flows use the keyboard only. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addTrack } from './captions-track.ts'
import { focused, press, reach } from './keyboard.ts'
import { openLibraryFixture } from './library-data.ts'
import { memberCookies } from './page-states.ts'
import { addStudioFilm } from './studio-film.ts'

const fixture = await opened(openLibraryFixture('dashboard_search'))
const { client, organizationId, origin } = fixture
const film = await addStudioFilm(fixture, 'Lecture at the observatory')
const otherFilm = (await client.uploadSessions.create({ title: 'Rings of fire', resolutions: ['240p'] })).asset.id
await client.chapters.add(film, {
  chapters: [
    { title: 'Welcome', start_time: '0:00:00' },
    { title: 'What the rings are', start_time: '0:00:16' },
  ],
})
await addTrack(fixture, film, {
  cues: [
    [800, 3200, 'Good evening, and welcome.'],
    [32_240, 42_500, 'It took fifty years until anyone understood the rings.'],
    [44_000, 48_000, 'Now to the moons.'],
  ],
})
const editor = await memberCookies(fixture)

const page = async (path: string) => {
  const { page, problems } = await fixture.newPage({ storageState: editor })
  await page.goto(`${origin}/o/${organizationId}/${path}`)
  await page.getByRole('button', { name: /^Your account/ }).waitFor()
  return { page, problems }
}
const searchField = (shown: Page) => shown.getByRole('searchbox', { name: 'Search in titles, chapters and captions' })
const position = (shown: Page) => shown.evaluate<number>("document.querySelector('reelkeep-player')?.currentTime ?? -1")

async function openPalette(shown: Page): Promise<void> {
  await press(shown, 'Control+k')
  await shown.getByRole('menuitem', { name: 'Keyboard shortcuts' }).waitFor()
}

/** Goes to an entry of the palette with the arrow keys, while the focus stays in the field, and presses Enter. */
async function choose(shown: Page, entry: Locator): Promise<void> {
  await entry.waitFor()
  const count = await shown.getByRole('menuitem').count()
  const isChosen = () => entry.and(shown.locator('[data-focused]')).count()
  for (let presses = 0; presses < count && !(await isChosen()); presses++) await press(shown, 'ArrowDown')
  expect(await isChosen()).toBe(1)
  await press(shown, 'Enter')
}

/** The page of the film has opened, and its player shows the frame at the second. */
async function playerIsAt(shown: Page, seconds: number): Promise<void> {
  await shown.waitForURL(new RegExp(`/videos/${film}\\?t=${seconds}$`))
  await shown.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().waitFor()
  await expect.poll(() => position(shown)).toBeCloseTo(seconds, 1)
  const opacity = `getComputedStyle(document.querySelector('reelkeep-player').shadowRoot.querySelector('.poster')).opacity`
  await expect.poll(() => shown.evaluate(opacity)).toBe('0')
}

it('finds captions, chapters and titles while the words are typed, and opens the video at exactly that second', async () => {
  const { page: shown, problems } = await page('library')
  await press(shown, 'g', 'f')
  await searchField(shown).and(shown.locator(':focus')).waitFor()
  await shown.keyboard.type('rings')
  await shown.getByText('2 videos').waitFor()
  expect(new URL(shown.url()).search).toBe('?q=rings')
  const caption = shown.getByRole('link', { name: /^0:32 ?Caption/ })
  expect(await caption.locator('mark').allTextContents()).toEqual(['rings'])
  expect(
    await shown
      .getByRole('link', { name: /^0:16 ?Chapter/ })
      .locator('mark')
      .allTextContents(),
  ).toEqual(['rings'])
  expect(await shown.getByRole('link', { name: 'Rings of fire' }).locator('mark').allTextContents()).toEqual(['Rings'])
  // The thumbnail shows the tile of the storyboard at this second.
  const tile = await caption.locator('img').getAttribute('style')
  expect(tile).not.toContain('translate(0px, 0px)')
  await reach(shown, caption, 'ArrowDown')
  await press(shown, 'ArrowUp', 'ArrowDown', 'Enter')
  await playerIsAt(shown, 32.24)
  await shown.goBack()
  await caption.waitFor()
  expect(await searchField(shown).inputValue()).toBe('rings')
  expect(problems).toEqual([])
})

it('limits the search to a kind of text and to a folder, which are in the address', async () => {
  const { uuid: folder } = await client.folders.create({ title: 'Volcanoes' })
  await client.assets.update(otherFilm, { folder })
  const { page: shown } = await page('search?q=rings')
  await shown.getByText('2 videos').waitFor()
  await reach(shown, shown.getByRole('radio', { name: 'Everything' }))
  await press(shown, 'ArrowRight', 'ArrowRight')
  await shown.getByText('1 video', { exact: true }).waitFor()
  expect(new URL(shown.url()).search).toBe('?q=rings&in=chapters')
  await press(shown, 'ArrowRight')
  await shown.waitForURL(/in=transcript/)
  await shown.goto(`${origin}/o/${organizationId}/library?folder=${folder}`)
  await shown.getByRole('option', { name: 'Rings of fire' }).waitFor()
  await press(shown, '/')
  await shown.keyboard.type('rings')
  await reach(shown, shown.getByRole('link', { name: 'Search “rings” in chapters and captions' }))
  await press(shown, 'Enter')
  await shown.getByText('1 video', { exact: true }).waitFor()
  await reach(shown, shown.getByRole('button', { name: 'Search all folders instead of Volcanoes' }))
  await press(shown, 'Enter')
  await shown.getByText('2 videos').waitFor()
  expect(await focused(shown)).not.toBe('BODY')
  await client.assets.update(otherFilm, { folder: null })
})

it('finds moments in the command palette, and seeks if the video is already open', async () => {
  const { page: shown, problems } = await page('library')
  await openPalette(shown)
  await shown.keyboard.type('fifty years')
  const moment = shown.getByRole('menuitem', { name: /until anyone understood/ })
  await moment.waitFor()
  expect(await moment.locator('mark').allTextContents()).toEqual(['fifty', 'years'])
  await choose(shown, moment)
  await playerIsAt(shown, 32.24)
  await openPalette(shown)
  await shown.keyboard.type('moons')
  await choose(shown, shown.getByRole('menuitem', { name: /Now to the moons/ }))
  await playerIsAt(shown, 44)
  await openPalette(shown)
  await shown.keyboard.type('welcome')
  await shown.getByRole('menuitem', { name: /Good evening/ }).waitFor()
  await choose(shown, shown.getByRole('menuitem', { name: 'Search “welcome” in all videos' }))
  await shown.getByText('1 video', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

it('says that nothing was found, and offers to search everything', async () => {
  const { page: shown } = await page('search?q=rings&in=titles')
  await shown.getByText('1 video', { exact: true }).waitFor()
  await searchField(shown).fill('fifty')
  await shown.getByRole('heading', { name: 'Nothing found' }).waitFor()
  await reach(shown, shown.getByRole('button', { name: 'Search everything' }))
  await press(shown, 'Enter')
  await shown.getByText('1 video', { exact: true }).waitFor()
})
