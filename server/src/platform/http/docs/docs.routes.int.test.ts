/** The documentation site as the API serves it. The tests write a small site, so that none has to be built. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { openStaticFiles } from '../responses/static-files.ts'

const parent = mkdtempSync(join(tmpdir(), 'reelkeep-docs-'))
afterAll(() => rmSync(parent, { recursive: true }))
const folder = join(parent, 'dist')

const files = {
  'index.html': '<h1>Start</h1>',
  '404.html': '<h1>Not found</h1>',
  'guides/webhooks/index.html': '<h1>Webhooks</h1>',
  'errors/unknown_field/index.html': '<h1>unknown_field</h1>',
  '_astro/page.abc.css': 'h1 { color: red }',
  '../secret.html': 'outside of the site',
}
for (const [name, text] of Object.entries(files)) {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

const testApi = await opened(TestApi.open({ DOCS_FOLDER: folder }))
const bare = await opened(TestApi.open({ DOCS_FOLDER: join(parent, 'missing') }))

const get = (path: string, headers: Record<string, string> = {}, api = testApi) =>
  api.send({ method: 'GET', path, headers, body: undefined })

describe('the documentation site', () => {
  it.each([
    ['/docs/', '<h1>Start</h1>'],
    ['/docs', '<h1>Start</h1>'],
    ['/docs/guides/webhooks/', '<h1>Webhooks</h1>'],
    ['/docs/guides/webhooks', '<h1>Webhooks</h1>'],
    ['/docs/errors/unknown_field/', '<h1>unknown_field</h1>'],
  ])('serves the page %s', async (path, html) => {
    expect(await get(path)).toMatchObject({
      status: 200,
      text: html,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
    })
  })

  it('has a content security policy that allows no inline script', async () => {
    const policy = String((await get('/docs/')).headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(/script-src ([^;]*)/.exec(policy)?.[1]).toBe("'self' 'wasm-unsafe-eval'")
  })

  it('caches files with a hash in their name forever', async () => {
    const { headers } = await get('/docs/_astro/page.abc.css')
    expect(headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })

  it('responds with 304 if the browser has the current version', async () => {
    const { headers } = await get('/docs/')
    expect((await get('/docs/', { 'if-none-match': String(headers['etag']) })).status).toBe(304)
    expect((await get('/docs/', { 'if-none-match': 'W/"another"' })).status).toBe(200)
  })

  it('compresses text for clients that accept it', async () => {
    expect((await get('/docs/', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip')
    expect((await get('/docs/', { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding']).toBeUndefined()
    const file = await openStaticFiles(folder, '_astro').find('')
    expect(gunzipSync(file?.gzip ?? Buffer.alloc(0)).toString()).toBe('<h1>Start</h1>')
  })

  it.each(['/docs/nowhere/', '/docs/../secret.html', '/docs/%2e%2e/secret.html', '/docs/..%2fsecret.html'])(
    'serves no file outside of the site: %s',
    async (path) => {
      const { status, text } = await get(path)
      expect(status).toBe(404)
      expect(text).not.toContain('outside')
    },
  )

  it('serves the OpenAPI document of this service, not the one of the site', async () => {
    expect(JSON.parse((await get('/docs/openapi.json')).text).servers).toEqual([{ url: 'http://127.0.0.1:8080' }])
  })
})

describe('without a built site', () => {
  it('the start page says how to build it', async () => {
    expect(await get('/docs/', {}, bare)).toMatchObject({ status: 200, text: expect.stringContaining('pnpm build') })
  })

  it('the page of an error code still exists', async () => {
    expect((await get('/docs/errors/unknown_field/', {}, bare)).text).toContain('HTTP status 400')
  })

  it('other pages are not found', async () => {
    expect((await get('/docs/guides/webhooks/', {}, bare)).status).toBe(404)
  })
})
