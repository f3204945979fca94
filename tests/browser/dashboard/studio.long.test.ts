/** The chapter editor in Chromium, with a real API, worker and player. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { accessibilityViolations } from '../accessibility.ts'
import { addTrack, type CueText } from './captions-track.ts'
import { press, reach } from './keyboard.ts'
import { openLibraryFixture } from './library-data.ts'
import { memberCookies } from './page-states.ts'
import { addStudioFilm, FRAME_RATE, openStudio } from './studio-film.ts'

const TITLE = 'Lecture at the observatory'

const fixture = await opened(openLibraryFixture('dashboard_studio'))
const { client, organizationId, origin } = fixture
const film = await addStudioFilm(fixture, TITLE)
const storageState = await memberCookies(fixture)

const before = [
  { title: 'Welcome', start_seconds: 0 },
  { title: 'Equipment', start_seconds: 20.48 },
  { title: 'Questions', start_seconds: 32 },
  { title: 'Credits', start_seconds: 50.12 },
]
const replace = (chapters: readonly { title: string; start_seconds: number }[]) =>
  client.chapters.replace(film, { chapters: [...chapters] })
beforeEach(async () => {
  await replace(before)
})

const saved = async () => {
  const { results } = await client.chapters.list(film)
  return results.map(({ title, start_seconds: start }) => [start, title])
}

async function openEditor(reducedMotion: 'reduce' | 'no-preference' = 'no-preference') {
  const opened = await fixture.newPage({ storageState, viewport: { width: 1440, height: 900 }, reducedMotion })
  await openStudio(opened.page, fixture, film)
  // The player keeps no position before it is ready.
  const duration = () => opened.page.evaluate<number>("document.querySelector('reelkeep-player').duration")
  await expect.poll(duration).toBeGreaterThan(0)
  return opened
}

const handle = (page: Page, title: string) => page.getByRole('slider', { name: `Start of ${title}`, exact: true })
const startOf = (page: Page, title: string) => handle(page, title).getAttribute('aria-valuetext')
const state = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor()
const toast = (page: Page, text: string) => page.getByRole('region', { name: 'Messages' }).getByText(text).waitFor()
const goTo = (page: Page, title: string) =>
  page.getByRole('button', { name: new RegExp(`^Go to .*: ${title}$`) }).click()
const position = (page: Page) => page.getByRole('slider', { name: 'Position' }).getAttribute('aria-valuetext')

async function rename(page: Page, title: string, to: string): Promise<void> {
  await goTo(page, title)
  await page.keyboard.press('r')
  await page.keyboard.type(to)
  await page.keyboard.press('Enter')
  await handle(page, to).waitFor()
}

async function times(page: Page, count: number, key: string): Promise<void> {
  for (let presses = 0; presses < count; presses++) await page.keyboard.press(key)
}

it('chapters are added, renamed, moved, deleted, undone, redone and saved with the keyboard only', async () => {
  const { page, problems } = await fixture.newPage({ storageState, viewport: { width: 1440, height: 900 } })
  await page.goto(`${origin}/o/${organizationId}/videos/${film}`)
  await reach(page, page.getByRole('link', { name: 'Edit on timeline' }))
  await press(page, 'Enter')
  await page.getByRole('heading', { level: 1, name: 'Chapters', exact: true }).waitFor()
  await handle(page, 'Welcome').waitFor()

  await times(page, 10, 'Shift+ArrowRight')
  await times(page, 3, 'ArrowRight')
  expect(await position(page)).toBe('0:10.120')
  await press(page, 's', 'r')
  await page.keyboard.type('The fjord')
  await press(page, 'Enter')
  expect(await startOf(page, 'The fjord')).toBe('0:10.120')
  await press(page, ',', ',', 'Shift+Period')
  expect(await startOf(page, 'The fjord')).toBe('0:10.440')
  await press(page, 'Control+z')
  expect(await startOf(page, 'The fjord')).toBe('0:10.040')
  await press(page, 'Control+z', 'Control+z', 'Control+z')
  await handle(page, 'Chapter 5').waitFor()
  await times(page, 4, 'Control+Shift+z')
  expect(await startOf(page, 'The fjord')).toBe('0:10.440')

  // The handles are sliders: arrow keys move a chapter, or go to the next one. Tab passes the list, whose last chapter
  // is then selected.
  await reach(page, handle(page, 'Credits'))
  await press(page, 'ArrowUp', 'ArrowUp', 'ArrowLeft', 'PageDown')
  await expect.poll(() => startOf(page, 'Equipment')).toBe('0:19.440')
  await press(page, 'ArrowDown', 'ArrowDown')
  await handle(page, 'Credits').and(page.locator(':focus')).waitFor()
  await press(page, 'Delete')
  await handle(page, 'Credits').waitFor({ state: 'detached' })
  await press(page, '?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('New chapter at the playhead').waitFor()
  await press(page, 'Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await press(page, 'Control+s')
  await state(page, 'Saved')
  expect(await saved()).toEqual([
    [0, 'Welcome'],
    [10.44, 'The fjord'],
    [19.44, 'Equipment'],
    [32, 'Questions'],
  ])
  expect(problems).toEqual([])
})

it('the player shows the frame of the playhead, and its chapters after saving', async () => {
  const { page } = await openEditor()
  await goTo(page, 'Equipment')
  await press(page, 'ArrowRight')
  const seconds = () => page.evaluate<number>("document.querySelector('reelkeep-player').currentTime")
  await expect.poll(async () => Math.floor((await seconds()) * FRAME_RATE)).toBe(20.48 * FRAME_RATE + 1)
  await rename(page, 'Equipment', 'Telescopes')
  await press(page, 'Control+s')
  const titles = "document.querySelector('reelkeep-player').chapters.map(({ title }) => title)"
  await expect.poll(() => page.evaluate(titles)).toEqual(['Welcome', 'Telescopes', 'Questions', 'Credits'])
})

/** Drags a handle to a time of the timeline that is shown as a whole. */
async function dragTo(page: Page, title: string, seconds: number): Promise<void> {
  const box = await handle(page, title).boundingBox()
  const [start, end] = [await handle(page, 'Welcome').boundingBox(), await handle(page, 'Credits').boundingBox()]
  if (!box || !start || !end) throw new Error('The handles are not shown.')
  const x = start.x + box.width / 2 + ((end.x - start.x) / 50.12) * seconds
  const y = box.y + box.height - 12
  await page.mouse.move(box.x + box.width / 2, y)
  await page.mouse.down()
  await page.mouse.move(x - 30, y, { steps: 3 })
  await page.mouse.move(x, y, { steps: 3 })
  await page.mouse.up()
}

it('a dragged chapter snaps to the end of a pause, and to frames only without snapping', async () => {
  const { page, problems } = await openEditor()
  // The second scene is quiet from 14.5 to 16 seconds.
  await dragTo(page, 'Equipment', 15.7)
  expect(await startOf(page, 'Equipment')).toBe('0:15.880')
  await press(page, 'Control+z')
  expect(await startOf(page, 'Equipment')).toBe('0:20.480')
  await press(page, 'n')
  await dragTo(page, 'Equipment', 15.7)
  const [, seconds] = (await startOf(page, 'Equipment'))?.split(':') ?? []
  expect(Number(seconds)).toBeGreaterThan(15.5)
  expect(Number(seconds)).toBeLessThan(15.85)
  expect((Number(seconds) * FRAME_RATE) % 1).toBeCloseTo(0, 6)
  await press(page, 'Control+s')
  await state(page, 'Saved')
  expect(await saved()).toContainEqual([Number(seconds), 'Equipment'])
  expect(problems).toEqual([])
})

it('changes of two editors are combined, and the user decides about conflicts', async () => {
  const { page, problems } = await openEditor()
  await rename(page, 'Welcome', 'Good evening')
  await replace([
    ...before.slice(0, 3),
    { title: 'The end', start_seconds: 50.12 },
    { title: 'Bonus', start_seconds: 54 },
  ])
  await press(page, 'Control+s')
  await toast(page, 'Saved, together with changes of someone else.')
  await handle(page, 'Bonus').waitFor()
  const combined = [
    [0, 'Good evening'],
    [20.48, 'Equipment'],
    [32, 'Questions'],
    [50.12, 'The end'],
    [54, 'Bonus'],
  ]
  expect(await saved()).toEqual(combined)

  await rename(page, 'Equipment', 'Cameras')
  await rename(page, 'Questions', 'Audience')
  const theirs = combined.map(([start, title]) => ({ title: String(title), start_seconds: Number(start) }))
  await replace(
    theirs
      .map((chapter) => (chapter.title === 'Equipment' ? { ...chapter, title: 'Telescopes' } : chapter))
      .map((chapter) => (chapter.title === 'Questions' ? { ...chapter, title: 'Discussion' } : chapter)),
  )
  await press(page, 'Control+s')
  const dialog = page.getByRole('dialog', { name: 'Someone else changed the same chapters' })
  await dialog.getByRole('radio', { name: /Your version Cameras/ }).check()
  await dialog.getByRole('radio', { name: /Their version Discussion/ }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await state(page, 'Saved')
  expect(await saved()).toEqual([
    [0, 'Good evening'],
    [20.48, 'Cameras'],
    [32, 'Discussion'],
    [50.12, 'The end'],
    [54, 'Bonus'],
  ])
  expect(problems).toEqual([])
})

it('an open editor without changes shows what someone else saves', async () => {
  const { page } = await openEditor()
  await replace([...before, { title: 'Bonus', start_seconds: 54 }])
  await handle(page, 'Bonus').waitFor()
  await state(page, 'Saved')
})

it('unsaved changes survive a reload, and leaving the page asks first', async () => {
  const { page } = await openEditor()
  await rename(page, 'Equipment', 'Telescopes')
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await page.getByText('Your unsaved changes from an earlier visit are shown.').waitFor()
  await handle(page, 'Telescopes').waitFor()
  await page.getByRole('link', { name: TITLE }).click()
  const question = page.getByRole('alertdialog', { name: 'Save the chapters?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: TITLE }).click()
  await question.getByRole('button', { name: 'Save and leave' }).click()
  await page.getByRole('heading', { level: 1, name: TITLE }).waitFor()
  expect(await saved()).toContainEqual([20.48, 'Telescopes'])
  await page.getByRole('link', { name: 'Edit on timeline' }).click()
  await state(page, 'Saved')
})

it('a pasted table of contents is shown before it is used', async () => {
  const { page } = await openEditor()
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', '0:00 Start\\nno time\\n0:12.480 - Middle\\n9:59 Too late')
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
  })()`)
  const dialog = page.getByRole('dialog', { name: 'Paste a table of contents' })
  await dialog.getByText('2 lines are not used.').waitFor()
  await dialog.getByRole('button', { name: 'Use 2 chapters' }).click()
  await press(page, 'Control+s')
  await state(page, 'Saved')
  expect(await saved()).toEqual([
    [0, 'Start'],
    [12.48, 'Middle'],
  ])
})

it('suggestions are added only when they are accepted, one or all', async () => {
  const { page } = await openEditor()
  await page.getByRole('tab', { name: 'Suggestions' }).click()
  const pauses = page.getByRole('region', { name: 'After pauses' })
  await pauses.getByRole('button', { name: 'Add Chapter 2 at 0:15.880' }).click()
  await handle(page, 'Chapter 2').waitFor()
  const scenes = page.getByRole('region', { name: 'At scene changes' })
  await scenes.getByRole('button', { name: 'Add Chapter 3 at 0:24.000' }).click()
  await handle(page, 'Chapter 3').waitFor()
  await press(page, 'Control+z')
  await handle(page, 'Chapter 3').waitFor({ state: 'detached' })
  expect(await saved()).toHaveLength(before.length)
  await page.getByRole('region', { name: 'Of equal length' }).getByLabel('Length of each chapter').selectOption('15')
  await page
    .getByRole('region', { name: 'Of equal length' })
    .getByRole('button', { name: /^Add all/ })
    .click()
  await press(page, 'Control+s')
  await state(page, 'Saved')
  // 0:00 and 0:15 exist already, or almost.
  expect((await saved()).map(([start]) => start)).toEqual([0, 15, 15.88, 20.48, 30, 32, 45, 50.12])
})

it('suggestions are shown, renamed and accepted with the keyboard only, and marked on the timeline', async () => {
  const { page, problems } = await openEditor()
  const marks = page.locator('[data-mark]')
  expect(await marks.count()).toBe(0)
  // The playhead is at the beginning; the first pause ends at 7.88 seconds, and the second scene starts at 8.
  await press(page, 'v')
  await expect.poll(() => position(page)).toBe('0:07.880')
  await page.getByRole('tab', { name: 'Suggestions', selected: true }).waitFor()
  await expect.poll(() => marks.count()).toBeGreaterThan(5)
  await page.locator('[data-mark="pause 7880"][data-selected]').waitFor()
  await press(page, 'v')
  await expect.poll(() => position(page)).toBe('0:08.000')
  await press(page, 'Shift+V', 'v', 'a')
  await handle(page, 'Chapter 1').waitFor()
  // What is almost at the same place as the new chapter is no suggestion any more, and the next one is shown.
  await marks.and(page.locator('[data-mark="pause 7880"]')).waitFor({ state: 'detached' })
  await expect.poll(() => position(page)).toBe('0:15.880')
  expect(await startOf(page, 'Chapter 1')).toBe('0:08.000')

  const title = page.getByRole('textbox', { name: 'Title of the suggestion at 0:23.880' })
  await reach(page, title)
  await press(page, 'Control+a')
  await page.keyboard.type('The moons')
  await press(page, 'Enter')
  await handle(page, 'The moons').waitFor()
  // The field of the next suggestion has the focus.
  await page
    .getByRole('textbox', { name: /^Title of the suggestion at 0:3/ })
    .and(page.locator(':focus'))
    .waitFor()
  expect(await saved()).toHaveLength(before.length)
  await press(page, 'Control+s')
  await state(page, 'Saved')
  expect(await saved()).toContainEqual([23.88, 'The moons'])
  expect(problems).toEqual([])
})

it('topics of the captions are found when the user asks, and added only when they are accepted', async () => {
  const texts = ['Saturn has rings of ice.', 'The rings are thin.', 'The rings turn.', 'Rings of ice and dust.']
  const others = ['Bread needs flour.', 'Knead the bread.', 'Flour from rye.', 'Bake the bread with flour.']
  const cues = [...texts, ...others].map((text, index): CueText => [index * 6500, index * 6500 + 6400, text])
  const track = await addTrack(fixture, film, { cues })
  const { page, problems } = await openEditor()
  await page.getByRole('tab', { name: 'Suggestions' }).click()
  const topics = page.getByRole('region', { name: 'From the captions' })
  await reach(page, topics.getByRole('button', { name: 'Find topics' }))
  await press(page, 'Enter')
  const title = topics.getByRole('textbox').last()
  await expect.poll(() => title.inputValue()).toMatch(/bread/i)
  expect(await accessibilityViolations(page)).toEqual([])
  const count = (await saved()).length
  await title.fill('Baking')
  await title.press('Enter')
  await handle(page, 'Baking').waitFor()
  expect(await saved()).toHaveLength(count)
  await press(page, 'Control+s')
  await state(page, 'Saved')
  expect((await saved()).map(([, name]) => name)).toContain('Baking')
  await client.subtitles.delete(film, track)
  expect(problems).toEqual([])
})

it('a mark on the timeline shows its suggestion, and accepts it with a double click', async () => {
  const { page } = await openEditor()
  await page.getByRole('tab', { name: 'Suggestions' }).click()
  await page.locator('[data-mark="scene 16000"]').click()
  await expect.poll(() => position(page)).toBe('0:16.000')
  await page
    .locator('li[aria-current]')
    .getByRole('button', { name: /^Go to 0:16\.000/ })
    .waitFor()
  expect(await handle(page, 'Chapter 2').count()).toBe(0)
  await page.locator('[data-mark="scene 16000"]').dblclick()
  await handle(page, 'Chapter 2').waitFor()
  expect(await startOf(page, 'Chapter 2')).toBe('0:16.000')
})

it.each(['no-preference', 'reduce'] as const)('the timeline zooms around the playhead, motion: %s', async (motion) => {
  const { page } = await openEditor(motion)
  await goTo(page, 'Questions')
  const width = () => page.evaluate<number>("document.querySelector('[data-chapter]').closest('section').scrollWidth")
  const whole = await width()
  const playheadX = async () => (await page.getByRole('slider', { name: 'Position' }).boundingBox())?.x ?? Number.NaN
  const x = await playheadX()
  await times(page, 14, '+')
  await expect.poll(width).toBeGreaterThan(56 * FRAME_RATE * 70)
  expect(Math.abs((await playheadX()) - x)).toBeLessThan(3)
  await press(page, '0')
  await expect.poll(width).toBe(whole)
})
