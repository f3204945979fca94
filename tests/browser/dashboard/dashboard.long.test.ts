/** The pages of the dashboard in Chromium, served by a real API. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  addAuthenticator,
  chooseInUserMenu,
  joinWithPassword,
  libraryOpened,
  openDashboardFixture,
} from './dashboard-fixture.ts'
import { memberCookies, PASSWORD } from './page-states.ts'

const fixture = await opened(openDashboardFixture('dashboard'))
await memberCookies(fixture)

const focusedName = (page: Page) => page.evaluate('document.activeElement.name || document.activeElement.tagName')
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe('the sign-in page', () => {
  it('signs in with the keyboard only and returns to the page that needed it', async () => {
    const { page, problems } = await fixture.newPage()
    await page.goto(`${fixture.origin}/account`)
    await page.getByRole('heading', { name: 'Sign in to Reelkeep' }).waitFor()
    expect(new URL(page.url()).search).toBe('?return_to=%2Faccount')
    await page.getByLabel('Email').focus()
    await page.keyboard.type('amara@example.org')
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Amara Diallo' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/account')
    expect(await focusedName(page)).toBe('H1')
    expect(problems).toEqual([])
  })

  it('announces a failure, asks for a code as well, and selects the password', async () => {
    const { page } = await fixture.newPage()
    await page.goto(`${fixture.origin}/sign-in`)
    await page.getByLabel('Email').fill('amara@example.org')
    await page.getByLabel('Password', { exact: true }).fill('not the password')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The sign-in did not work.').waitFor()
    await page.getByLabel('Code from your authenticator app').waitFor()
    expect(await focusedName(page)).toBe('password')
  })

  it('shows and hides the password and warns of Caps Lock', async () => {
    const { page } = await fixture.newPage()
    await page.goto(`${fixture.origin}/sign-in`)
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('secret')
    await press(page, 'Show password')
    expect(await password.getAttribute('type')).toBe('text')
    await press(page, 'Hide password')
    expect(await password.getAttribute('type')).toBe('password')
    await page.evaluate(`{
      const event = new KeyboardEvent('keydown', { key: 'A', bubbles: true, modifierCapsLock: true })
      document.querySelector('input[name=password]').dispatchEvent(event)
    }`)
    await page.getByText('Caps Lock is on.').waitFor()
  })

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/api/account/sign-out/'])(
    'goes to the home page instead of %s',
    async (returnTo) => {
      const { page, problems } = await fixture.newPage()
      await page.goto(`${fixture.origin}/sign-in?return_to=${encodeURIComponent(returnTo)}`)
      await page.getByLabel('Email').fill('amara@example.org')
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.keyboard.press('Enter')
      await libraryOpened(page)
      expect(page.url()).toBe(`${fixture.origin}/`)
      expect(problems).toEqual([])
    },
  )

  it('is in German for a German browser, and changes its language without a reload', async () => {
    const { page } = await fixture.newPage({ locale: 'de-CH' })
    await page.goto(`${fixture.origin}/sign-in`)
    await page.getByRole('heading', { name: 'Bei Reelkeep anmelden' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByLabel('Sprache').selectOption('en')
    await page.getByRole('heading', { name: 'Sign in to Reelkeep' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
  })
})

describe('an invitation', () => {
  it('creates an account with a passkey, which then signs in', async () => {
    const { page, problems } = await fixture.newPage()
    await addAuthenticator(page)
    await page.goto(await fixture.invite('noor@example.org'))
    await page.getByText('Can upload, edit, organize and share videos.').waitFor()
    await page.getByLabel('Your name').fill('Noor')
    await press(page, 'Create a passkey')
    await libraryOpened(page)
    await chooseInUserMenu(page, 'Sign out')
    await press(page, 'Sign in with a passkey')
    await libraryOpened(page)
    expect(problems).toEqual([])
  })

  it('keeps its token out of the address bar and of the addresses of pages', async () => {
    const link = await fixture.invite('lin@example.org')
    const token = new URL(link).hash.slice(1)
    expect(token).not.toBe('')
    const { page } = await fixture.newPage()
    const pages: string[] = []
    page.on('request', (request) => {
      if (!new URL(request.url()).pathname.startsWith('/api/'))
        pages.push(request.url(), request.headers()['referer'] ?? '')
    })
    await page.goto(link)
    await page.getByLabel('Your name').waitFor()
    expect(page.url()).toBe(`${fixture.origin}/invitation`)
    expect(pages.filter((url) => url.includes(token))).toEqual([])
    await page.reload()
    await page.getByLabel('Your name').waitFor()
  })

  it('does not work a second time', async () => {
    const link = await fixture.invite('once@example.org')
    const { page } = await fixture.newPage()
    await joinWithPassword(page, link, 'Once', PASSWORD)
    const { page: second } = await fixture.newPage()
    await second.goto(link)
    await second.getByRole('heading', { name: 'This invitation does not work' }).waitFor()
  })
})

describe('the account page', () => {
  it('adds and removes a passkey', async () => {
    const { page, problems } = await fixture.newPage()
    await addAuthenticator(page)
    await joinWithPassword(page, await fixture.invite('keys@example.org'), 'Keys', PASSWORD)
    await chooseInUserMenu(page, 'Account')
    await press(page, 'Add a passkey')
    await page.getByText('The passkey was added.').waitFor()
    const remove = page.getByRole('button', { name: /^Remove .* on / })
    await remove.click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove passkey' }).click()
    await page.getByText('You have no passkey yet.').waitFor()
    expect(problems).toEqual([])
  })

  it('signs out another device, which then shows the sign-in page', async () => {
    const { page } = await fixture.newPage()
    await joinWithPassword(page, await fixture.invite('devices@example.org'), 'Devices', PASSWORD)
    const { page: other } = await fixture.newPage()
    await other.goto(`${fixture.origin}/sign-in`)
    await other.getByLabel('Email').fill('devices@example.org')
    await other.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await other.keyboard.press('Enter')
    await libraryOpened(other)
    await page.goto(`${fixture.origin}/account`)
    await page.getByRole('button', { name: /^Sign out Chrome/ }).click()
    await expect.poll(() => page.getByRole('button', { name: /^Sign out Chrome/ }).count()).toBe(0)
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in to Reelkeep' }).waitFor()
  })
})
