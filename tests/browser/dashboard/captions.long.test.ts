/** The captions editor in Chromium, with a real API, worker and player. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { tasksDuring } from '../../../tools/bench/dashboard/page-measures.ts'
import { addTrack, type CueText, captionsOpened, captionsUrl, vttOf } from './captions-track.ts'
import { press, reach } from './keyboard.ts'
import { openLibraryFixture } from './library-data.ts'
import { memberCookies } from './page-states.ts'
import { addStudioFilm } from './studio-film.ts'

const TITLE = 'Lecture at the observatory'

const fixture = await opened(openLibraryFixture('dashboard_captions'))
const { client, organizationId, origin } = fixture
const film = await addStudioFilm(fixture, TITLE)
const storageState = await memberCookies(fixture)

const before: readonly CueText[] = [
  [1000, 3000, 'Good evening.'],
  [3000, 6000, 'Welcome to the observatory.'],
  [8000, 11_000, 'Tonight we look at Saturn.'],
  [12_000, 15_000, 'Any questions?'],
]
let track: string
beforeEach(async () => {
  for (const { id } of (await client.subtitles.list(film)).results) await client.subtitles.delete(film, id)
  track = await addTrack(fixture, film, { cues: before })
})

const saved = async (id = track) => await client.subtitles.read(film, id)
const replace = (cues: readonly CueText[]) => client.subtitles.replace(film, track, { content: vttOf(cues) })

/** The player keeps no position before it is ready. */
async function playerReady(page: Page): Promise<void> {
  const duration = () => page.evaluate<number>("document.querySelector('reelkeep-player').duration")
  await expect.poll(duration).toBeGreaterThan(0)
}

async function openEditor(id = track) {
  const opening = await fixture.newPage({ storageState, viewport: { width: 1440, height: 900 } })
  await opening.page.goto(captionsUrl(fixture, { video: film, track: id }))
  await captionsOpened(opening.page)
  await playerReady(opening.page)
  return opening
}

const state = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor()
const toast = (page: Page, text: string) => page.getByRole('region', { name: 'Messages' }).getByText(text).waitFor()
const row = (page: Page, number: number) => page.locator(`ol[aria-label="Captions"] > li[aria-posinset="${number}"]`)
const field = (page: Page, number: number, name: string) =>
  row(page, number).getByRole('textbox', { name, exact: true })
const goTo = (page: Page, number: number) =>
  row(page, number)
    .getByRole('button', { name: /^Caption \d/ })
    .click()

async function write(page: Page, number: number, text: string): Promise<void> {
  await goTo(page, number)
  await press(page, 'r', 'Control+a')
  await page.keyboard.type(text)
  await press(page, 'Escape')
}

it('captions are edited, timed, split, merged, undone, searched, shifted and saved with the keyboard only', async () => {
  const { page, problems } = await fixture.newPage({ storageState, viewport: { width: 1440, height: 900 } })
  await page.goto(`${origin}/o/${organizationId}/videos/${film}`)
  await reach(page, page.getByRole('tab', { selected: true }))
  await reach(page, page.getByRole('tab', { name: 'Captions' }), 'ArrowRight')
  await reach(page, page.getByRole('link', { name: 'Edit English' }))
  await press(page, 'Enter')
  await captionsOpened(page)
  await playerReady(page)

  // Text and speaker of the second caption.
  await press(page, 'ArrowDown', 'r', 'End')
  await page.keyboard.type(' We are glad that you are here.')
  await press(page, 'Escape', 'l')
  await page.keyboard.type('Ada')
  await press(page, 'Escape')
  expect(await field(page, 2, 'Speaker').inputValue()).toBe('Ada')
  // At the caret: what follows becomes a caption of its own.
  await press(page, 'r', 'Control+Home')
  for (let presses = 0; presses < 'Welcome to the observatory.'.length; presses++) await press(page, 'ArrowRight')
  await press(page, 'Control+Enter')
  await field(page, 3, 'Text').and(page.locator(':focus')).waitFor()
  expect(await field(page, 3, 'Text').inputValue()).toBe('We are glad that you are here.')
  await press(page, 'Escape', 'm')
  await expect
    .poll(() => field(page, 3, 'Text').inputValue())
    .toBe('We are glad that you are here.\nTonight we look at Saturn.')
  await press(page, 'Control+z')
  await expect.poll(() => field(page, 4, 'Text').inputValue()).toBe('Tonight we look at Saturn.')
  // Times: of the field, by frames, and from the playhead.
  await press(page, 'ArrowDown')
  await press(page, '.', '.', 'Shift+Period')
  await expect.poll(() => field(page, 4, 'Start').inputValue()).toBe('0:08.080')
  expect(await field(page, 4, 'End').inputValue()).toBe('0:11.120')
  await press(page, 'Shift+ArrowRight', 'o')
  await expect.poll(() => field(page, 4, 'End').inputValue()).toBe('0:12.080')
  await row(page, 4).getByText('Overlaps the next').waitFor()
  await press(page, 'Control+z')
  await row(page, 4).getByText('Overlaps the next').waitFor({ state: 'detached' })
  await press(page, 'ArrowDown', 'Delete')
  await expect.poll(() => page.getByRole('region', { name: 'Captions' }).getByText('4 captions').count()).toBe(1)

  await press(page, 'f')
  await page.keyboard.type('glad')
  await page.getByText('1 found').waitFor()
  await reach(page, page.getByRole('textbox', { name: 'Replace with' }))
  await page.keyboard.type('happy')
  await press(page, 'Enter', 'Enter', 'Escape')
  await expect.poll(() => field(page, 3, 'Text').inputValue()).toBe('We are happy that you are here.')
  await press(page, 't')
  await page.getByRole('dialog', { name: 'Shift the times' }).waitFor()
  await page.keyboard.type('0.5')
  await press(page, 'Enter')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await press(page, 'Control+s')
  await state(page, 'Saved')
  expect(await saved()).toMatch(
    /^WEBVTT\n\n00:00:01\.500 --> 00:00:03\.500\nGood evening\.\n\n00:00:03\.500 --> 00:00:0\d\.\d{3}\n<v Ada>Welcome to the observatory\.\n\n00:00:0\d\.\d{3} --> 00:00:06\.500\n<v Ada>We are happy that you are here\.\n\n00:00:08\.580 --> 00:00:11\.620\nTonight we look at Saturn\.\n$/,
  )
  expect((await client.subtitles.listVersions(film, track)).results.map(({ number }) => number)).toEqual([2, 1])
  expect(problems).toEqual([])
})

it('changes of two editors are combined, and the user decides about conflicts', async () => {
  const { page, problems } = await openEditor()
  await write(page, 1, 'Good evening, everyone.')
  await replace([...before.slice(0, 3), [12_000, 15_500, 'Are there any questions?'], [16_000, 18_000, 'Goodbye.']])
  await press(page, 'Control+s')
  await toast(page, 'Saved, together with changes of someone else.')
  await field(page, 5, 'Text').waitFor()
  const combined: readonly CueText[] = [
    [1000, 3000, 'Good evening, everyone.'],
    ...before.slice(1, 3),
    [12_000, 15_500, 'Are there any questions?'],
    [16_000, 18_000, 'Goodbye.'],
  ]
  expect(await saved()).toBe(vttOf(combined))

  await write(page, 2, 'Welcome to our observatory.')
  await write(page, 5, 'Bye.')
  await replace(
    combined.map(([start, end, text]) => [start, end, text.replace('Welcome', 'Hello').replace('Goodbye', 'Farewell')]),
  )
  await press(page, 'Control+s')
  const dialog = page.getByRole('dialog', { name: 'Someone else changed the same captions' })
  await dialog.getByRole('radio', { name: /Your version Welcome to our observatory/ }).check()
  await dialog.getByRole('radio', { name: /Their version Farewell/ }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await state(page, 'Saved')
  expect(await saved()).toBe(vttOf(combined).replace('Welcome to the', 'Welcome to our').replace('Goodbye', 'Farewell'))
  expect(problems).toEqual([])
})

it('an open editor without changes shows what someone else saves', async () => {
  const { page } = await openEditor()
  await replace([...before, [16_000, 18_000, 'Goodbye.']])
  await field(page, 5, 'Text').waitFor()
  await state(page, 'Saved')
})

it('an earlier version is restored, and leaving with unsaved changes asks first', async () => {
  const { page } = await openEditor()
  await write(page, 1, 'Good morning.')
  await press(page, 'Control+s')
  await state(page, 'Saved')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Earlier versions' }).click()
  await page.getByRole('button', { name: 'Restore version 1' }).click()
  await expect.poll(() => field(page, 1, 'Text').inputValue()).toBe('Good evening.')
  expect(await saved()).toBe(vttOf(before))
  await write(page, 1, 'Good night.')
  await page.getByRole('link', { name: TITLE }).click()
  const question = page.getByRole('alertdialog', { name: 'Save the captions?' })
  await question.getByRole('button', { name: 'Save and leave' }).click()
  await page.getByRole('heading', { level: 1, name: TITLE }).waitFor()
  expect(await saved()).toContain('Good night.')
})

it('a second language is shown beside the first', async () => {
  await addTrack(fixture, film, { cues: [[1000, 3000, 'Guten Abend.']], language: 'de', label: 'Deutsch' })
  const { page } = await openEditor()
  await page.getByRole('combobox', { name: 'Second language' }).selectOption({ label: 'Deutsch' })
  await row(page, 1).getByText('Guten Abend.').waitFor()
})

const CUES = 3000

const manyCues = Array.from(
  { length: CUES },
  (_, index): CueText => [index * 15, index * 15 + 2000, `Caption ${index + 1} of a long lecture about the night sky`],
)

it(`${CUES} captions are scrolled and edited without a task over 100 ms, with few rows in the document`, async () => {
  const { page, problems } = await openEditor(await addTrack(fixture, film, { cues: manyCues, label: 'Long' }))
  await expect.poll(() => page.locator('ol[aria-label="Captions"] > li').count()).toBeGreaterThan(3)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  /** CPU time of the main thread's tasks, so that other work on this machine does not count. */
  const cpuSeconds = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  const longest = { seconds: 0, step: '' }
  const step = async (name: string, run: () => Promise<void>) => {
    const start = await cpuSeconds()
    await run()
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    const seconds = (await cpuSeconds()) - start
    if (seconds > longest.seconds) Object.assign(longest, { seconds, step: name })
  }
  const actions: Record<string, () => Promise<void>> = {
    next: () => press(page, 'ArrowDown'),
    edit: () => press(page, 'r'),
    type: () => page.keyboard.type('x'),
    leave: () => press(page, 'Escape'),
    split: () => press(page, 's'),
    merge: () => press(page, 'm'),
    undo: () => press(page, 'Control+z'),
    nudge: () => press(page, '.'),
    scroll: () => page.evaluate("document.querySelector('ol[aria-label=Captions]').parentElement.scrollTop += 40_000"),
  }
  // Code is compiled when it runs for the first time.
  for (const run of Object.values(actions)) await run()
  for (let round = 0; round < 5; round++) for (const [name, run] of Object.entries(actions)) await step(name, run)
  process.stdout.write(
    `longest step with ${CUES} captions: ${longest.step}, ${Math.round(longest.seconds * 1000)} ms of CPU\n`,
  )
  expect(longest.seconds).toBeLessThan(0.1)
  expect(await page.locator('ol[aria-label="Captions"] > li').count()).toBeLessThan(40)
  expect(problems).toEqual([])
})

it(`changes of all ${CUES} captions at once, and saving them, have no task over 100 ms`, async () => {
  const id = await addTrack(fixture, film, { cues: manyCues, label: 'Long' })
  const { page, problems } = await openEditor(id)
  const steps: Record<string, () => Promise<void>> = {
    find: async () => {
      await press(page, 'f')
      await page.keyboard.type('night')
      await page.getByText(`${CUES} found`).waitFor()
    },
    'replace all': async () => {
      await page.getByRole('textbox', { name: 'Replace with' }).fill('evening')
      await page.getByRole('button', { name: 'Replace all' }).click()
      await expect.poll(() => field(page, 1, 'Text').inputValue()).toContain('evening sky')
    },
    shift: async () => {
      await press(page, 'Escape', 't')
      await page.getByRole('dialog', { name: 'Shift the times' }).waitFor()
      await page.keyboard.type('0.5')
      await press(page, 'Enter')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    },
    undo: () => press(page, 'Control+z'),
    redo: () => press(page, 'Control+Shift+z'),
    save: async () => {
      await press(page, 'Control+s')
      await state(page, 'Saved')
    },
  }
  // Code is compiled when it runs for the first time.
  for (const run of Object.values(steps)) await run()
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  const longest: Record<string, number> = {}
  for (const [name, run] of Object.entries(steps))
    longest[name] = Math.round((await tasksDuring(fixture.browser, page, run)).longestMs)
  process.stdout.write(`longest task with ${CUES} captions, ms of CPU: ${JSON.stringify(longest)}\n`)
  expect(Math.max(...Object.values(longest))).toBeLessThan(100)
  expect(await saved(id)).toContain('00:00:00.500 --> 00:00:02.500\nCaption 1 of a long lecture about the evening sky')
  expect(problems).toEqual([])
})
