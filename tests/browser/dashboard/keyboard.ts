/** Steps of tests that use nothing but the keyboard. */
import type { Locator, Page } from 'playwright-core'

const PRESSES_MAX = 100

/** Presses a key, by default Tab, until the element has the focus. */
export async function reach(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.first().waitFor()
  const focused = target.and(page.locator(':focus'))
  for (let presses = 0; presses < PRESSES_MAX; presses++) {
    if ((await focused.count()) > 0) return
    await page.keyboard.press(key)
  }
  throw new Error(`${target} cannot be reached with ${key}.`)
}

export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Goes to the button with Tab and presses Enter. */
export async function pressButton(page: Page, name: string | RegExp): Promise<void> {
  await reach(page, page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) }))
  await press(page, 'Enter')
}

/** The name of the element with the focus; `BODY` if the focus was lost. */
export const focused = (page: Page) =>
  page.evaluate<string>(`(({ activeElement: element }) =>
    element === document.body ? 'BODY' : element.ariaLabel ?? element.textContent)(document)`)
