/**
 * Chapters start at exactly the frame that was chosen, at every rate: in the chapter editor and in the player, with
 * real encoding, in Chromium. Prints the number of checks.
 */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { memberCookies } from '../dashboard/page-states.ts'
import { openStudio } from '../dashboard/studio-film.ts'
import { type ExpectedFrame, FrameChecks } from './frame-checks.ts'
import { inPlayer, mixed, openFrameFixture } from './frame-fixture.ts'
import { filmRates } from './numbered-film.ts'
import { frameAfter, frameThatStays } from './shown-frame.ts'

const CHAPTERS = 30
const CHECKS_MIN = 300
const SEGMENT_SECONDS = 4

const fixture = await opened(openFrameFixture('chapter_frames'))
const { client, openPlayer, upload } = fixture
const storageState = await memberCookies(fixture)
const checks = new FrameChecks()

afterAll(() => {
  process.stdout.write(`${checks.report}\n`)
})

/** Frames at irregular distances, without the first ones. */
const chosenFrames = (count: number): number[] => {
  const distance = Math.floor((count - 4) / CHAPTERS)
  return Array.from({ length: CHAPTERS }, (_, index) => 3 + index * distance + ((index * 37) % (distance - 1)))
}

const goTo = (page: Page, title: string) =>
  page.getByRole('button', { name: new RegExp(`^Go to .*: ${title}$`) }).click()

async function openEditor(id: string): Promise<Page> {
  const { page } = await fixture.newPage({ storageState, viewport: { width: 1440, height: 900 } })
  await openStudio(page, fixture, id)
  await page.locator('reelkeep-player .frame[data-state=ready]').waitFor()
  return page
}

it.each(filmRates)('chapters of a film with $name start at exactly the chosen frame', async (film) => {
  const { id, count, rate } = await upload(film)
  const check = (what: string, shown: Parameters<FrameChecks['check']>[1], expected: ExpectedFrame) =>
    checks.check(`${film.name}, ${what}`, shown, { ...expected, rate })

  // The number of the frame in the toolbar of the editor is the one that is seen.
  const editor = await openEditor(id)
  const chosen: ExpectedFrame[] = []
  for (const frame of chosenFrames(count)) {
    await frameAfter(editor, () => inPlayer(editor, `seek(${(frame - 0.5) / rate})`))
    const shown = await frameAfter(editor, () => editor.keyboard.press('ArrowRight'))
    const expected = { frame, number: film.isVariable ? shown.number : frame }
    check('stepped to in the editor', shown, expected)
    await editor.getByText(`Frame ${frame}`, { exact: true }).waitFor()
    await editor.keyboard.press('s')
    chosen.push(expected)
  }
  await editor.keyboard.press('Control+s')
  await editor.getByRole('status').getByText('Saved', { exact: true }).waitFor()

  const chapters = chosen.map((expected, index) => ({ expected, number: index + 1 }))
  for (const { expected, number } of mixed(chapters)) {
    const shown = await frameThatStays(editor, () => goTo(editor, `Chapter ${number}`), expected.number)
    check('chapter in the editor', shown, expected)
  }
  await editor.context().close()

  const watched = await openPlayer(id)
  for (const { expected, number } of mixed(chapters)) {
    const shown = await frameThatStays(watched, () => inPlayer(watched, `seekToChapter(${number})`), expected.number)
    check('chapter in the player', shown, expected)
  }
  await frameAfter(watched, () => inPlayer(watched, 'seek(0)'))
  for (const { expected } of chapters.slice(1)) {
    check('key N in the player', await frameAfter(watched, () => watched.keyboard.press('n')), expected)
  }
  await watched.context().close()

  // A client that rounds or cuts off the exact times of frames to milliseconds, as many do.
  for (const round of [Math.round, Math.floor]) {
    const rounded = chosen.map(({ frame }) => round((frame * 1000) / rate) / 1000)
    await client.chapters.replace(id, {
      chapters: rounded.map((start, index) => ({ title: `Chapter ${index + 1}`, start_seconds: start })),
    })
    const again = await openPlayer(id)
    for (const { expected, number } of mixed(chapters)) {
      const shown = await frameThatStays(again, () => inPlayer(again, `seekToChapter(${number})`), expected.number)
      check(`${round.name === 'round' ? 'rounded' : 'cut off'} start in the player`, shown, expected)
    }
    await again.context().close()
  }
  const editedAgain = await openEditor(id)
  for (const { expected, number } of mixed(chapters)) {
    const shown = await frameThatStays(editedAgain, () => goTo(editedAgain, `Chapter ${number}`), expected.number)
    check('cut off start in the editor', shown, expected)
  }
  await editedAgain.context().close()
})

it('shows the last frames of a segment, although the next segment is buffered and they are not', async () => {
  const { id, rate } = await upload({ name: 'Segments', rate: '50' })
  const lastOfSecond = 2 * SEGMENT_SECONDS * rate - 1
  for (const frame of [lastOfSecond, lastOfSecond - 1, lastOfSecond - 2]) {
    const page = await openPlayer(id)
    await frameAfter(page, () => inPlayer(page, `seek(${(frame + 250.5) / rate})`))
    const shown = await frameThatStays(page, () => inPlayer(page, `seek(${(frame + 0.5) / rate})`), frame)
    checks.check('last frames of a segment', shown, { frame, number: frame, rate })
    await page.context().close()
  }
})

it('checks enough frames, and all are right', () => {
  expect(checks.count).toBeGreaterThanOrEqual(CHECKS_MIN)
  expect(checks.wrong).toEqual([])
})
