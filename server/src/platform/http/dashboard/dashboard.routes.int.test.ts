/** The dashboard as the API serves it. The tests write a small one, so that none has to be built. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, describe, expect, it } from 'vitest'

const parent = mkdtempSync(join(tmpdir(), 'reelkeep-dashboard-'))
afterAll(() => rmSync(parent, { recursive: true }))
const folder = join(parent, 'dist')

const files = {
  'index.html': '<h1>Dashboard</h1>',
  'manifest.json': '{}',
  'static/index-AbCd_12-.js': 'script',
  'static/inter-AbCd_12-.woff2': 'font',
  '../secret.js': 'outside of the dashboard',
}
for (const [name, text] of Object.entries(files)) {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

const testApi = await opened(
  TestApi.open({
    DASHBOARD_FOLDER: folder,
    STORAGE_PUBLIC_ENDPOINT: 'https://storage.example',
    PLAYBACK_URL: 'https://videos.example/play',
  }),
)
const bare = await opened(TestApi.open({ DASHBOARD_FOLDER: join(parent, 'missing') }))

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const get = (path: string, headers: Record<string, string> = browser, api = testApi) =>
  api.send({ method: 'GET', path, headers, body: undefined })

describe('the dashboard', () => {
  it.each([
    '/',
    '/sign-in',
    '/sign-in?return_to=/account',
    '/invitation',
    '/recovery',
    '/account',
    '/account/',
    '/o/demo/library',
  ])('serves its page at %s, which browsers revalidate', async (path) => {
    expect(await get(path)).toMatchObject({
      status: 200,
      text: '<h1>Dashboard</h1>',
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        vary: 'Accept, Accept-Encoding',
      },
    })
  })

  it.each([{}, { accept: '*/*' }, { accept: 'application/json' }])(
    'is not served to clients that do not ask for a page: %j',
    async (headers: Record<string, string>) => {
      expect(await get('/', headers)).toMatchObject({
        status: 404,
        text: expect.stringContaining('"code":"not_found"'),
      })
    },
  )

  it('has a policy without inline code and styles, and cannot be framed', async () => {
    const { headers } = await get('/sign-in')
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: https://videos.example; media-src 'self' blob: https://videos.example; font-src 'self'; connect-src 'self' https://storage.example https://videos.example; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
  })

  it.each([
    ['/static/index-AbCd_12-.js', 'text/javascript; charset=utf-8'],
    ['/static/inter-AbCd_12-.woff2', 'font/woff2'],
  ])('caches %s forever', async (path, type) => {
    expect((await get(path)).headers).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })

  it('responds with 304 if the browser has the current page', async () => {
    const { headers } = await get('/sign-in')
    expect((await get('/sign-in', { ...browser, 'if-none-match': String(headers['etag']) })).status).toBe(304)
  })

  it.each([
    '/static/',
    '/static/nowhere.js',
    '/static/../index.html',
    '/static/../manifest.json',
    '/static/%2e%2e/%2e%2e/secret.js',
    '/static/..%2f..%2fsecret.js',
    '/index.html',
    '/manifest.json',
  ])('serves no other file: %s', async (path) => {
    expect(await get(path)).toMatchObject({ status: 404 })
  })
})

it('browsers are redirected to the documentation if the dashboard is not built', async () => {
  expect(await get('/', browser, bare)).toMatchObject({ status: 302, headers: { location: '/docs/' } })
  expect((await get('/static/index-AbCd_12-.js', browser, bare)).status).toBe(404)
})
