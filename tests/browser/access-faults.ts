import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** What keeps somebody from using the page as it stands. */
export async function faultsOfAccess(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
