/** The built dashboard, served by an API process on `localhost`, where browsers allow passkeys without https. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  ApiProcess,
  Caller,
  freePort,
  newOrganization,
  openOwner,
  resetDatabase,
  root,
  stackEnv,
  withDatabase,
} from '@reelkeep/testkit'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openChromium } from '../chromium.ts'

/** As it is shipped: the environment of the tests would build it for development. */
async function buildDashboard(): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const options = { cwd: join(root, 'dashboard'), env: { NODE_ENV: 'production' } }
  await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'error'], options)
}

export type DashboardFixture = Awaited<ReturnType<typeof openDashboardFixture>>

/** `database` is a name that no other test uses. `settings` may depend on the origin of the pages. */
export async function openDashboardFixture(
  database: string,
  settings: (origin: string) => Promise<Record<string, string>> | Record<string, string> = () => ({}),
) {
  await using opening = new AsyncDisposableStack()
  await buildDashboard()
  const env = withDatabase(stackEnv(), database)
  await resetDatabase(env)
  const port = String(await freePort())
  const origin = `http://localhost:${port}`
  const common = { PUBLIC_URL: origin, SIGN_IN_REQUESTS_PER_MINUTE: '100000', ...(await settings(origin)) }
  const startApi = () => ApiProcess.start({ PORT: port, ...common }, env)
  let api: ApiProcess = await startApi()
  opening.defer(() => api[Symbol.asyncDispose]())
  const owner = opening.use(openOwner(env))
  const { organizationId, token } = await newOrganization(owner)
  const caller = new Caller((request) => api.send(request), organizationId, token)
  const browser = opening.use(await openChromium())

  const fixture = {
    origin,
    env,
    settings: common,
    organizationId,
    token,
    caller,
    browser,
    stopApi: () => api.stop(),
    /** Starts the API again, at the same address. */
    async restartApi(): Promise<void> {
      await api[Symbol.asyncDispose]()
      api = await startApi()
    },
    /** Returns a one-time link for a new member. */
    async invite(email: string, options: { readonly role?: string; readonly folder_uuid?: string } = {}) {
      const { body } = await caller.post<{ link: string }>('invitations/', { email, role: 'editor', ...options })
      return body.link
    },
    /** A page in a browser of its own, and what it reports: blocked code, errors, requests to other hosts. */
    async newPage(options: BrowserContextOptions = {}): Promise<{ readonly page: Page; readonly problems: string[] }> {
      const context = await browser.newContext({ colorScheme: 'light', locale: 'en-US', ...options })
      const page = await context.newPage()
      return { page, problems: problemsOf(page, [origin, new URL(env.STORAGE_ENDPOINT).origin]) }
    },
  }
  const open = opening.move()
  return { ...fixture, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Statuses of failed requests are expected: a wrong password, a page without a session. */
const isStatus = (text: string) => /the server responded with a status of 4\d\d/.test(text)

function problemsOf(page: Page, origins: readonly string[]): string[] {
  const problems: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isStatus(message.text())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    const isAllowed =
      request.url().startsWith('blob:') || origins.some((origin) => request.url().startsWith(`${origin}/`))
    if (!isAllowed) problems.push(`requests ${request.url()}`)
  })
  return problems
}

/** Adds a virtual authenticator for passkeys, which confirms every request. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}

/** The password of all members. */
export const PASSWORD = 'lighthouse keeper at dawn'

/** Joins with a password and returns when the library is shown. */
export async function joinWithPassword(page: Page, link: string, name: string, password: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Your name').fill(name)
  await page.getByRole('button', { name: 'Use a password' }).click()
  await page.getByLabel('New password').fill(password)
  await page.getByRole('button', { name: 'Save password and continue' }).click()
  await libraryOpened(page)
}

/** The page after sign-in. */
export const libraryOpened = (page: Page) => page.waitForURL(/\/o\/[^/]+\/library/)

/** Chooses an item of the menu of the user's account. */
export async function chooseInUserMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: /^Your account/ }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
