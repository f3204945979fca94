import type { Page } from 'playwright-core'
import type { LibraryFixture } from '../library-data.ts'

/** A state of a page that tests check and of which screenshots are taken. */
export type State = {
  /** Brings the page, which is signed in if `isSignedIn`, into the state. */
  readonly open: (page: Page, fixture: LibraryFixture) => Promise<unknown>
  readonly isSignedIn?: true
  /** Requests fail in this state, which browsers report as errors. */
  readonly isFailing?: true
}

export type States = Readonly<Record<string, State>>

export const signedIn = (open: State['open']): State => ({ isSignedIn: true, open })

export const failing = (state: State): State => ({ ...state, isFailing: true })

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Below this width, the navigation is in a drawer. */
const WIDE = 860

const isNarrow = (page: Page) => (page.viewportSize()?.width ?? 0) < WIDE

export async function openNavigation(page: Page): Promise<void> {
  if (isNarrow(page)) await press(page, 'Open navigation')
}

/** Opens a menu and chooses an item of it. */
export async function choose(page: Page, menu: string | RegExp, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).first().click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

/** Runs a function once for each fixture. */
export function oncePerFixture<T>(prepare: (fixture: LibraryFixture) => Promise<T>) {
  const prepared = new WeakMap<LibraryFixture, Promise<T>>()
  return (fixture: LibraryFixture): Promise<T> => {
    const running = prepared.get(fixture) ?? prepare(fixture)
    prepared.set(fixture, running)
    return running
  }
}

export const problem = (status: number, code: string) => ({
  status,
  contentType: 'application/problem+json',
  json: { type: 'about:blank', title: code, status, detail: '', code, errors: [], request_id: '0190a1c2' },
})

type Me = { readonly person: object; readonly memberships: readonly object[] }

/** Changes what the pages read about the person who is signed in. */
export const changeMe = (page: Page, change: (me: Me) => Me): Promise<unknown> =>
  page.route('**/api/account/me/', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: change((await response.json()) as Me) })
  })
