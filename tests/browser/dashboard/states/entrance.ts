/** The states of the pages before the sign-in. */
import type { Page } from 'playwright-core'
import type { LibraryFixture } from '../library-data.ts'
import { heading, press, type States, signedIn } from './state.ts'

async function openSignIn(page: Page, { origin }: LibraryFixture, query = ''): Promise<void> {
  await page.goto(`${origin}/sign-in${query}`)
  await heading(page, 'Sign in to Reelkeep')
}

let invited = 0
const newAddress = () => `kim-${++invited}@example.org`

export const entranceStates: States = {
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
  'invitation-signed-in': signedIn(async (page, fixture) => {
    await page.goto(await fixture.invite(newAddress()))
    await page.getByRole('button', { name: 'Use another account' }).waitFor()
  }),
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
  recovery: {
    open: async (page, { caller }) => {
      const { body } = await caller.get<{ results: { id: string }[] }>('members/?q=amara')
      const link = await caller.post<{ link: string }>(`members/${body.results[0]?.id}/recovery-link/`, {})
      await page.goto(link.body.link)
      await heading(page, 'Get back into your account')
    },
  },
  'recovery-expired': {
    open: async (page, { origin }) => {
      await page.goto(`${origin}/recovery#expired`)
      await heading(page, 'This recovery link does not work')
    },
  },
}
