/** The transcript of the player: search, marks on the timeline, and following playback. By keyboard only. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { accessibilityViolations } from '../accessibility.ts'
import { SCENE_SECONDS } from './film.ts'
import { openPlaybackFixture } from './playback-fixture.ts'
import { inPlayer, stateOf, watchUntil } from './watching.ts'

const fixture = await opened(openPlaybackFixture('playback_transcript'))
const video = await fixture.newVideo('disable')
const german = 'WEBVTT\n\n00:02.000 --> 00:04.000\nDas Tal ist still.\n'
await video.caller.post(`assets/${video.assetId}/subtitles/`, { language: 'de', label: 'Deutsch', content: german })

async function openPlayer(options = {}): Promise<Page> {
  const page = await fixture.newPage({ locale: 'en-US', ...options })
  await page.goto(video.pageUrl)
  await page.locator('.frame[data-state=ready]').waitFor()
  return page
}

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search in the transcript' })
const cues = (page: Page) => page.getByRole('region', { name: 'Transcript' }).getByRole('listitem')
const marks = (page: Page) => page.locator('.marks > span')
const current = (page: Page) => page.locator('.cue[aria-current=true] .cue-text')
const positionIs = (page: Page, seconds: number) =>
  expect.poll(async () => (await stateOf(page)).seconds).toBeCloseTo(seconds, 1)

/** Opens the transcript with its shortcut and waits for its cues. */
async function openTranscript(page: Page): Promise<void> {
  await page.keyboard.press('/')
  await field(page).and(page.locator(':focus')).waitFor()
  await expect.poll(() => cues(page).count()).toBe(5)
}

it('finds words, marks them on the timeline, and seeks to the results', async () => {
  const page = await openPlayer()
  await openTranscript(page)
  await page.keyboard.type('the night')
  await page.getByText('1 result', { exact: true }).waitFor()
  expect(await cues(page).locator('mark').allTextContents()).toEqual(['the', 'night', 'the', 'the'])
  expect(await marks(page).count()).toBe(1)
  await page.keyboard.press('Enter')
  await positionIs(page, 4 * SCENE_SECONDS)
  await page.getByText(/^Result 1 of 1/).waitFor()
  await field(page).fill('mist')
  await expect.poll(() => cues(page).locator('mark').allTextContents()).toEqual(['Mist'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await positionIs(page, SCENE_SECONDS)
  await page.keyboard.press('Escape')
  expect([await field(page).inputValue(), await marks(page).count()]).toEqual(['', 0])
  await page.keyboard.press('Escape')
  await field(page).waitFor({ state: 'hidden' })
  // Closed with the focus on the button that opens it.
  expect(await inPlayer(page, 'root.activeElement.ariaLabel')).toBe('Transcript')
})

it('types into the search field without running shortcuts of the player', async () => {
  const page = await openPlayer()
  await openTranscript(page)
  await page.keyboard.type('km f0')
  expect(await stateOf(page)).toMatchObject({ seconds: 0, isPaused: true })
  expect(await inPlayer(page, 'video.muted')).toBe(false)
  await page.getByText('0 results').waitFor()
})

it('follows playback', async () => {
  const page = await openPlayer()
  await openTranscript(page)
  await page.evaluate(`document.querySelector('reelkeep-player').seek(${2 * SCENE_SECONDS + 0.5})`)
  await expect.poll(() => current(page).textContent()).toContain('At noon')
  await page.evaluate(
    '{ const player = document.querySelector("reelkeep-player"); player.volume = 0; void player.play() }',
  )
  await watchUntil(page, ({ seconds }) => seconds > 3 * SCENE_SECONDS + 3)
  expect(await current(page).textContent()).toContain('the long dusk')
})

it('shows the transcript in another language, which does not show its captions', async () => {
  const page = await openPlayer()
  await openTranscript(page)
  await page.getByRole('combobox', { name: 'Language of the transcript' }).selectOption({ label: 'Deutsch' })
  await expect.poll(() => cues(page).locator('.cue-text').allTextContents()).toEqual(['Das Tal ist still.'])
  await page.evaluate(`document.querySelector('reelkeep-player').seek(3)`)
  await expect.poll(() => current(page).textContent()).toContain('Das Tal')
  expect(await page.locator('.caption').count()).toBe(0)
})

it.each([
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 220 }, hasTouch: true, isMobile: true }],
])('is accessible: %s', async (_, options) => {
  const page = await openPlayer(options)
  await openTranscript(page)
  expect(await accessibilityViolations(page)).toEqual([])
  await page.keyboard.type('hills')
  await page.getByText('1 result', { exact: true }).waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
})
