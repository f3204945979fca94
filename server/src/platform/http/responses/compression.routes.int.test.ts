import { TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const testApi = await opened(TestApi.open())

it('a long list is compressed if the client accepts it, and a short response is not', async () => {
  const caller = await testApi.newOrganization()
  for (let index = 0; index < 12; index++)
    await caller.post('assets/folders/', { title: `${index} ${'x'.repeat(200)}` })
  const get = (path: string, encoding: string) =>
    testApi.send({
      method: 'GET',
      path: `/api/v1/${caller.organizationId}/${path}`,
      headers: { authorization: `token ${caller.token}`, 'accept-encoding': encoding },
      body: undefined,
    })
  for (const encoding of ['br', 'gzip']) {
    const { status, headers } = await get('assets/folders/', encoding)
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' })
    expect(Number(headers['content-length'])).toBeLessThan(1024)
    expect((await get('tokens/current/', encoding)).headers).not.toHaveProperty('content-encoding')
  }
  const plain = await get('assets/folders/', 'identity')
  expect(plain.headers).not.toHaveProperty('content-encoding')
  expect(JSON.parse(plain.text)).toMatchObject({ count: 12 })
})
