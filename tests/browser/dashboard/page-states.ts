/** The states of the pages that tests check and of which screenshots are taken. */
import type { Page } from 'playwright-core'
import { type DashboardFixture, joinWithPassword } from './dashboard-fixture.ts'
import { libraryStates } from './page-states-library.ts'
import { settingsStates } from './page-states-settings.ts'
import { uploadStates } from './page-states-uploads.ts'

export const PASSWORD = 'lighthouse keeper at dawn'

type State = {
  /** Brings the page, which is signed in if `isSignedIn`, into the state. */
  readonly open: (page: Page, fixture: DashboardFixture) => Promise<void>
  readonly isSignedIn?: true
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function openSignIn(page: Page, { origin }: DashboardFixture, query = ''): Promise<void> {
  await page.goto(`${origin}/sign-in${query}`)
  await heading(page, 'Sign in to Reelkeep')
}

async function openAccount(page: Page, { origin }: DashboardFixture): Promise<void> {
  await page.goto(`${origin}/account`)
  await heading(page, 'Where you are signed in')
}

let invited = 0
const newAddress = () => `kim-${++invited}@example.org`

export const states: Readonly<Record<string, State>> = {
  'sign-in': { open: (page, fixture) => openSignIn(page, fixture) },
  'sign-in-failed': {
    open: async (page, fixture) => {
      await openSignIn(page, fixture, '?return_to=/account')
      await page.getByLabel('Email').fill('nobody@example.org')
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await press(page, 'Sign in with password')
      await page.getByRole('alert').waitFor()
    },
  },
  'sign-in-empty': {
    open: async (page, fixture) => {
      await openSignIn(page, fixture)
      await press(page, 'Sign in with password')
      await page.getByText('Enter your email address.').waitFor()
    },
  },
  'sign-in-provider-failed': {
    open: async (page, fixture) => {
      await openSignIn(page, fixture, '?error=not_a_member')
      await page.getByRole('alert').waitFor()
    },
  },
  invitation: {
    open: async (page, fixture) => {
      await page.goto(await fixture.invite(newAddress()))
      await page.getByLabel('Your name').waitFor()
    },
  },
  'invitation-password': {
    open: async (page, fixture) => {
      await page.goto(await fixture.invite(newAddress()))
      await press(page, 'Use a password')
      await page.getByLabel('New password').waitFor()
    },
  },
  'invitation-signed-in': {
    isSignedIn: true,
    open: async (page, fixture) => {
      await page.goto(await fixture.invite(newAddress()))
      await page.getByRole('button', { name: 'Use another account' }).waitFor()
    },
  },
  'invitation-expired': {
    open: async (page, { origin }) => {
      await page.goto(`${origin}/invitation#expired`)
      await heading(page, 'This invitation does not work')
    },
  },
  'invitation-incomplete': {
    open: async (page, { origin }) => {
      await page.goto(`${origin}/invitation`)
      await heading(page, 'This link is incomplete')
    },
  },
  'recovery-expired': {
    open: async (page, { origin }) => {
      await page.goto(`${origin}/recovery#expired`)
      await heading(page, 'This recovery link does not work')
    },
  },
  'user-menu': {
    isSignedIn: true,
    open: async (page, fixture) => {
      await openAccount(page, fixture)
      if ((page.viewportSize()?.width ?? 0) < 860) await press(page, 'Open navigation')
      await page.getByRole('button', { name: /^Your account/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    },
  },
  shortcuts: {
    isSignedIn: true,
    open: async (page, fixture) => {
      await openAccount(page, fixture)
      await page.keyboard.press('?')
      await heading(page, 'Keyboard shortcuts')
    },
  },
  'command-palette': {
    isSignedIn: true,
    open: async (page, fixture) => {
      await openAccount(page, fixture)
      await page.keyboard.press('Control+k')
      await page.getByRole('menuitem', { name: 'Library' }).waitFor()
    },
  },
  account: { isSignedIn: true, open: openAccount },
  'account-password': {
    isSignedIn: true,
    open: async (page, fixture) => {
      await openAccount(page, fixture)
      await press(page, 'Change password')
      await page.getByLabel('New password').waitFor()
    },
  },
  'account-authenticator-app': {
    isSignedIn: true,
    open: async (page, fixture) => {
      await openAccount(page, fixture)
      await press(page, 'Set up')
      await page.getByRole('dialog').getByLabel('Code', { exact: true }).waitFor()
    },
  },
  ...libraryStates,
  ...settingsStates,
  ...uploadStates,
}

/** Cookies of an owner, from which pages in other browsers are signed in. */
export async function memberCookies(fixture: DashboardFixture) {
  const { page } = await fixture.newPage()
  await joinWithPassword(page, await fixture.invite('amara@example.org', { role: 'owner' }), 'Amara Diallo', PASSWORD)
  const { cookies } = await page.context().storageState()
  await page.context().close()
  return { cookies, origins: [] }
}

export const views = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 1440 },
  { colorScheme: 'light', width: 390 },
  { colorScheme: 'dark', width: 390 },
] as const

export type View = (typeof views)[number]

export const optionsOf = ({ colorScheme, width }: View) => ({ colorScheme, viewport: { width, height: 900 } })
