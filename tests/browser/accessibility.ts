import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** Accessibility violations of the page in its current state, found by axe-core. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
