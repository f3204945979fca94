import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** While the color scheme changes, colors are between those of both schemes. */
const TRANSITIONS_ENDED = `Promise.all(document.getAnimations()
  .filter((animation) => animation instanceof CSSTransition)
  .map((transition) => transition.finished.catch(() => undefined)))
  .then(() => undefined)`

/** Accessibility violations of the page in its current state, found by axe-core. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  await page.evaluate(TRANSITIONS_ENDED)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
