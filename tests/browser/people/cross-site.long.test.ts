/** Pages on other origins, in the browser of a signed-in owner: they change nothing and read nothing. */
import type { folders } from '@reelkeep/contract'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { joinWithPassword, openDashboardFixture, PASSWORD } from '../dashboard/dashboard-fixture.ts'
import { openForeignPage } from '../playback/foreign-page.ts'
import { recordRequests, type SentRequest } from './requests-seen.ts'

const FORBIDDEN = 403
const UNAUTHENTICATED = 401

const openPage = () => opened(openForeignPage('<!doctype html><title>Another site</title>'))
const [foreign, allowed] = [await openPage(), await openPage()]
const onLocalhost = (url: string) => url.replace('127.0.0.1', 'localhost')
const fixture = await opened(
  openDashboardFixture('cross_site', () => ({ API_ORIGINS: new URL(onLocalhost(allowed.url)).origin })),
)
const { caller, origin, organizationId } = fixture
const api = `${origin}/api/v1/${organizationId}`
const account = `${origin}/api/account`

const { uuid: folder } = (await caller.post<folders.Folder>('assets/folders/', { title: 'Talks', parent: null })).body
const foldersNow = async () => (await caller.get<{ results: folders.Folder[] }>('assets/folders/')).body.results
const foldersBefore = await foldersNow()

const { page: ownPage } = await fixture.newPage()
await joinWithPassword(ownPage, await fixture.invite('ada@example.org', { role: 'owner' }), 'Ada', PASSWORD)
const context = ownPage.context()

/** Sends a request from our own page. Returns its status. */
const fromOwnPage = (path: string, method = 'GET') =>
  ownPage.evaluate<number>(`fetch(${JSON.stringify(path)}, { method: '${method}' }).then(({ status }) => status)`)

type Attempt = { readonly method: string; readonly url: string; readonly type?: string; readonly mode?: 'no-cors' }

const targets: readonly (readonly [method: string, url: string])[] = [
  ['POST', `${api}/assets/folders/`],
  ['PATCH', `${api}/assets/folders/${folder}/`],
  ['DELETE', `${api}/assets/folders/${folder}/`],
  ['POST', `${account}/sign-out/`],
  ['DELETE', `${account}/me/sessions/`],
]

const posts = targets.filter(([method]) => method === 'POST')

/** Browsers send these without asking the server first. */
const writesWithoutPreflight: readonly Attempt[] = posts.flatMap(([method, url]) => [
  { method, url, type: 'text/plain' },
  { method, url, type: 'text/plain', mode: 'no-cors' },
  { method, url, mode: 'no-cors' },
])

const writes: readonly Attempt[] = [
  ...writesWithoutPreflight,
  ...targets.map(([method, url]) => ({ method, url, type: 'application/json' })),
  ...targets.filter(([method]) => method !== 'POST').map(([method, url]) => ({ method, url, type: 'text/plain' })),
]

const reads: readonly Attempt[] = [`${account}/me/`, `${api}/assets/folders/`, `${api}/members/`].flatMap((url) => [
  { method: 'GET', url },
  { method: 'GET', url, mode: 'no-cors' },
])

/** What the script of the page gets to read of each response: an empty text if it is hidden or an error. */
const readableTexts = (page: Page, attempts: readonly Attempt[]) =>
  page.evaluate<readonly string[]>(`Promise.all(${JSON.stringify(attempts)}.map(async ({ method, url, type, mode }) => {
    try {
      const response = await fetch(url, {
        ...{ method, mode, credentials: 'include' },
        ...(type && { headers: { 'Content-Type': type }, body: '{"title":"Changed"}' }),
      })
      return await response.text()
    } catch {
      return ''
    }
  }))`)

const isWrite = ({ method }: SentRequest) => method !== 'GET' && method !== 'OPTIONS'

/** Submits a form on a page of the origin, as `text/plain`, which can contain JSON. Returns what the browser sent. */
async function submitForm(url: string, action: string): Promise<readonly SentRequest[]> {
  const page = await context.newPage()
  await page.goto(url)
  await page.evaluate(`document.body.innerHTML = \`<form method="post" enctype="text/plain" action="${action}">
    <input type="hidden" name='{"title":"Changed","x":"' value='"}'><button>Win a prize</button></form>\``)
  const seen = await recordRequests(page, origin)
  // The page stays open until the end of the file: closing one while Chromium replaces its process can hang.
  await Promise.all([page.waitForURL(action), page.getByRole('button').click()])
  await expect.poll(() => seen().some((request) => isWrite(request) && request.status !== undefined)).toBe(true)
  return seen().filter(isWrite)
}

/** The owner is still signed in, and nothing has changed. */
async function expectUnchanged(): Promise<void> {
  expect(await foldersNow()).toEqual(foldersBefore)
  expect(await fromOwnPage('/api/account/me/')).toBe(200)
}

const origins = [
  // A page on another port is of the same site, so browsers send the cookie.
  ['of the same site', onLocalhost(foreign.url), true],
  ['of the same site that the operator allows for tokens', onLocalhost(allowed.url), true],
  ['of another site', foreign.url, false],
] as const

describe.each(origins)('a page %s', (_, url, hasCookie) => {
  /** Without the cookie, requests of an organization are refused as those of an unknown client. */
  const expectRefused = (sent: readonly SentRequest[]) => {
    for (const request of sent) {
      const isAccount = request.path.startsWith('/api/account/')
      const status = hasCookie || isAccount ? FORBIDDEN : UNAUTHENTICATED
      expect(request).toEqual({ ...request, hasCookie, status })
    }
  }

  it('reads no response to its requests, and changes nothing with them', async () => {
    const page = await context.newPage()
    await page.goto(url)
    const seen = await recordRequests(page, origin)
    const texts = await readableTexts(page, [...writes, ...reads])
    expect(texts).toEqual(texts.map(() => ''))
    await expect.poll(() => seen().every(({ status }) => status !== undefined)).toBe(true)
    const sent = seen().filter(isWrite)
    // Both POST requests, three times each without a preflight.
    expect(sent).toHaveLength(writesWithoutPreflight.length)
    expectRefused(sent)
    const me = seen().filter(({ method, path }) => method === 'GET' && path === '/api/account/me/')
    const found = { method: 'GET', path: '/api/account/me/', hasCookie, status: hasCookie ? 200 : UNAUTHENTICATED }
    expect(me).toEqual([found, found])
    await page.close()
    await expectUnchanged()
  })

  it('changes nothing with a form', async () => {
    for (const action of [`${api}/assets/folders/`, `${account}/sign-out/`]) {
      const sent = await submitForm(url, action)
      expect(sent).toHaveLength(1)
      expectRefused(sent)
    }
    await expectUnchanged()
  })
})

describe('our own page', () => {
  it('is allowed the same requests', async () => {
    expect(await fromOwnPage(`/api/v1/${organizationId}/assets/folders/${folder}/`, 'DELETE')).toBe(204)
    expect(await fromOwnPage('/api/account/sign-out/', 'POST')).toBe(204)
    expect(await fromOwnPage('/api/account/me/')).toBe(UNAUTHENTICATED)
  })
})
