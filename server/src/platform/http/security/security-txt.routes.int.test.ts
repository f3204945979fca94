import { TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const PUBLIC_URL = 'https://video.example'
const testApi = await opened(TestApi.open({ PUBLIC_URL, SECURITY_CONTACT: 'mailto:security@video.example' }))
const bare = await opened(TestApi.open())

const get = (api: TestApi) =>
  api.send({ method: 'GET', path: '/.well-known/security.txt', headers: {}, body: undefined })

it('GET /.well-known/security.txt names the contact of the operator, and expires within a year (RFC 9116)', async () => {
  const { status, headers, text } = await get(testApi)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  const fields = new Map(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(': ', 2) as [string, string]),
  )
  expect(fields.get('Contact')).toBe('mailto:security@video.example')
  expect(fields.get('Canonical')).toBe(`${PUBLIC_URL}/.well-known/security.txt`)
  const daysLeft = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000
  expect(daysLeft).toBeGreaterThan(1)
  expect(daysLeft).toBeLessThan(365)
})

it('GET /.well-known/security.txt is not found without SECURITY_CONTACT', async () => {
  expect((await get(bare)).status).toBe(404)
})
