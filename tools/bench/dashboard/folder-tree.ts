/** Opens and scrolls the tree of folders in the sidebar, as a user does with the keyboard and the wheel. */
import type { Page } from 'playwright-core'

/** Folders down to this level are opened, so the rows of the level below are shown. */
const OPENED_LEVELS = 2
/** Rows that are visited while opening; ends the benchmark if the tree never ends. */
const ROWS_MAX = 5000
const SCROLL_STEP = 600
const STILL_STEPS = 10
const STEP_PAUSE_MS = 30

/** The row of the tree that has the focus. */
const FOCUSED = `(() => {
  const row = document.activeElement.closest('[role=row]')
  return row && { key: row.dataset.key, level: Number(row.ariaLevel), isClosed: row.ariaExpanded === 'false' }
})()`
const SCROLL_TOP = "document.querySelector('[role=treegrid]').scrollTop"

type Row = { readonly key: string; readonly level: number; readonly isClosed: boolean }

const tree = (page: Page) => page.getByRole('treegrid', { name: 'Folders' })

/** Opens all folders of the first levels. Returns the number of rows of the tree. */
export async function openLevels(page: Page): Promise<number> {
  await tree(page).getByRole('row').first().focus()
  await page.keyboard.press('Home')
  let row = await focusedRow(page)
  for (let rows = 1; rows < ROWS_MAX; rows++) {
    if (row.isClosed && row.level <= OPENED_LEVELS) await open(page, row)
    await page.keyboard.press('ArrowDown')
    const next = await focusedRow(page)
    if (next.key === row.key) return rows
    row = next
  }
  throw new Error(`The tree has more than ${ROWS_MAX} rows.`)
}

async function focusedRow(page: Page): Promise<Row> {
  const row = await page.evaluate<Row | null>(FOCUSED)
  if (!row) throw new Error('No row of the tree has the focus.')
  return row
}

/** Opens the row that has the focus, and waits until the folders in it are loaded. */
async function open(page: Page, { key }: Row): Promise<void> {
  await page.keyboard.press('ArrowRight')
  await tree(page).locator(`[data-key="${key}"][aria-expanded=true]`).waitFor()
  await tree(page).locator(`[data-key="${key}/loading"]`).waitFor({ state: 'detached' })
}

/** Scrolls by the wheel to the top and back to the end. */
export async function scrollTree(page: Page): Promise<void> {
  await tree(page).hover()
  for (const step of [-SCROLL_STEP, SCROLL_STEP]) {
    let [position, still] = [-1, 0]
    while (still < STILL_STEPS) {
      await page.mouse.wheel(0, step)
      const top = await page.evaluate<number>(SCROLL_TOP)
      still = top === position ? still + 1 : 0
      position = top
      if (still > 0) await page.waitForTimeout(STEP_PAUSE_MS)
    }
  }
}
