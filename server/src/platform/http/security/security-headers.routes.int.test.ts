/** Security headers of every HTML page of the API. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, describe, expect, it } from 'vitest'

const parent = mkdtempSync(join(tmpdir(), 'reelkeep-pages-'))
afterAll(() => rmSync(parent, { recursive: true }))
const [docs, player] = [join(parent, 'docs'), join(parent, 'player')]
for (const folder of [docs, player, join(docs, 'guides')]) mkdirSync(folder)
for (const name of ['index.html', '404.html', 'guides/index.html']) writeFileSync(join(docs, name), '<h1>Page</h1>')
writeFileSync(join(player, 'embed-AbCd_12-.js'), 'page')

const folders = { DOCS_FOLDER: docs, PLAYER_FOLDER: player }
const secure = await opened(TestApi.open({ ...folders, PUBLIC_URL: 'https://video.example' }))
const plain = await opened(TestApi.open({ ...folders, DOCS_FOLDER: join(parent, 'missing') }))

const get = (api: TestApi, path: string) => api.send({ method: 'GET', path, headers: {}, body: undefined })

const embedPage = '/embed/acme12/00000000-0000-0000-0000-000000000000/'

describe.each([
  ['a page of the documentation', secure, '/docs/'],
  ['a page in a folder of the documentation', secure, '/docs/guides/'],
  ['a missing page of the documentation', secure, '/docs/nowhere/'],
  ['the start page without a built documentation', plain, '/docs/'],
  ['the page of an error code without a built documentation', plain, '/docs/errors/unknown_field/'],
  ['the embed page', secure, embedPage],
])('%s', (_, api, path) => {
  it('has a policy that loads nothing by default and allows no inline script', async () => {
    const { headers } = await get(api, path)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("base-uri 'none'")
    expect(policy).toContain("form-action 'none'")
    expect(/script-src [^;]*/.exec(policy)?.[0] ?? '').not.toContain('unsafe-inline')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toMatch(/^(same-origin|strict-origin)$/)
  })

  it('can be framed by other sites only if it is the embed page', async () => {
    const { headers } = await get(api, path)
    const isEmbedPage = path === embedPage
    expect(String(headers['content-security-policy']).includes("frame-ancestors 'none'")).toBe(!isEmbedPage)
    expect(headers['x-frame-options']).toBe(isEmbedPage ? undefined : 'DENY')
    expect(headers['cross-origin-resource-policy']).toBe(isEmbedPage ? 'cross-origin' : 'same-origin')
    expect(headers['cross-origin-opener-policy']).toBe(isEmbedPage ? undefined : 'same-origin')
  })
})

describe('Strict-Transport-Security', () => {
  it.each(['/docs/', embedPage, '/api/v1/acme12/folders/', '/nowhere', '/livez'])(
    'is in every response if PUBLIC_URL is https: %s',
    async (path) => {
      expect((await get(secure, path)).headers['strict-transport-security']).toBe('max-age=31536000')
    },
  )

  it('is in no response if PUBLIC_URL is http', async () => {
    expect((await get(plain, '/docs/')).headers).not.toHaveProperty('strict-transport-security')
  })
})
