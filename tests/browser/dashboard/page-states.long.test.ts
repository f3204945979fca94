/** Every page, dialog and menu of the dashboard in Chromium: accessibility, width, and what it loads. */
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { accessibilityViolations } from '../accessibility.ts'
import { openLibraryFixture } from './library-data.ts'
import { colorSchemes, memberCookies, openState, states, widths } from './page-states.ts'

/** Each of these tests opens all pages. */
const ALL_PAGES_MILLISECONDS_MAX = 2_400_000

const fixture = await opened(openLibraryFixture('dashboard_states'))

it.each(widths)(
  'every state is accessible in both color schemes, fits, and loads only allowed code of this origin, %d pixels wide',
  async (width) => {
    const found: string[] = []
    // Some dialogs need a sign-in of the last minutes.
    const storageState = await memberCookies(fixture, `amara${width}@example.org`)
    for (const [name, state] of Object.entries(states)) {
      const report = (...texts: readonly string[]) => found.push(...texts.map((text) => `${name}: ${text}`))
      try {
        await using opened = await openState(fixture, { state, width, storageState })
        const { page, problems } = opened
        for (const colorScheme of colorSchemes) {
          await page.emulateMedia({ colorScheme })
          report(...(await accessibilityViolations(page)).map((violation) => `${colorScheme}: ${violation}`))
        }
        report(...(state.isFailing ? [] : problems))
        if ((await page.evaluate('document.documentElement.scrollWidth')) !== width) report('too wide')
      } catch (error) {
        report(String(error))
      }
    }
    process.stdout.write(`states of the dashboard checked by axe: ${Object.keys(states).length}\n`)
    expect(found).toEqual([])
  },
  ALL_PAGES_MILLISECONDS_MAX,
)
