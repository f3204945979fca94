import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, tokens } from '@reelkeep/contract'
import { type Caller, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())

type TokenPage = Page<tokens.Token>

/** Name of the token that `newOrganization` creates. */
const first = 'Test'

async function organizationWith(...names: string[]): Promise<Caller> {
  const caller = await testApi.newOrganization()
  for (const name of names) {
    // Ids of the same millisecond are unordered.
    await sleep(2)
    await caller.post('tokens/', { name, scopes: ['tokens:read'] })
  }
  return caller
}

async function page(caller: Caller, url: string): Promise<TokenPage> {
  const { status, body } = await caller.get<TokenPage>(url)
  expect(status).toBe(200)
  return body
}

const namesIn = ({ results }: TokenPage) => results.map(({ name }) => name)
const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('GET tokens/', () => {
  it('200: lists tokens newest first, including revoked ones, without secrets', async () => {
    const caller = await organizationWith('a', 'b')
    const before = await page(caller, 'tokens/')
    await caller.delete(`tokens/${before.results[0]?.id}/`)
    const { count, results } = await page(caller, 'tokens/')
    expect(count).toBe(3)
    expect(results.map(({ name }) => name)).toEqual(['b', 'a', first])
    expect(results[0]?.revoked_at).not.toBeNull()
    for (const token of results) expect(token).not.toHaveProperty('token')
  })

  it('200: pages forwards and backwards return every token once, with the total count', async () => {
    const caller = await organizationWith('a', 'b', 'c', 'd', 'e', 'f')
    const one = await page(caller, 'tokens/?limit=3')
    const two = await page(caller, one.next ?? '')
    const three = await page(caller, two.next ?? '')
    expect([one, two, three].map(namesIn)).toEqual([['f', 'e', 'd'], ['c', 'b', 'a'], [first]])
    expect([one, two, three].map(({ count }) => count)).toEqual([7, 7, 7])
    expect(one.previous).toBeNull()
    expect(three.next).toBeNull()
    expect(namesIn(await page(caller, three.previous ?? ''))).toEqual(['c', 'b', 'a'])
    const back = await page(caller, two.previous ?? '')
    expect(namesIn(back)).toEqual(['f', 'e', 'd'])
    expect(back.previous).toBeNull()
  })

  it('200: pages neither repeat nor skip tokens while others are created', async () => {
    const caller = await organizationWith('a', 'b', 'c')
    const one = await page(caller, 'tokens/?limit=2')
    await caller.post('tokens/', { name: 'late', scopes: ['*'] })
    const two = await page(caller, one.next ?? '')
    expect([...namesIn(one), ...namesIn(two)]).toEqual(['c', 'b', 'a', first])
    expect(namesIn(await page(caller, two.previous ?? ''))).toEqual(['c', 'b'])
  })

  it('200: next is an absolute URL with the same limit', async () => {
    const caller = await organizationWith('a', 'b')
    const { next } = await page(caller, 'tokens/?limit=1')
    const url = new URL(next ?? '')
    expect(url.pathname).toBe(`/api/v1/${caller.organizationId}/tokens/`)
    expect(url.searchParams.get('limit')).toBe('1')
  })

  it.each(['0', '101', '-1', '1.5', 'ten', ''])('400: rejects limit=%s', async (limit) => {
    const caller = await testApi.newOrganization()
    const { status, body } = await caller.get(`tokens/?limit=${limit}`)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' })
    expect(body.errors.map(({ field }) => field)).toEqual(['limit'])
  })

  it.each([
    ['junk', 'junk'],
    ['a cursor of another list', cursorOf([1, 'title', '7Hq2kVnW4sD'])],
    ['a cursor with an unknown direction', cursorOf([2, '019a0000-0000-7000-8000-000000000000'])],
    ['a number instead of an id', cursorOf([1, 7])],
    ['text that is not an id', cursorOf([1, 'x'])],
    ['an empty list', cursorOf([])],
  ])('400: rejects an invalid cursor: %s', async (_, cursor) => {
    const caller = await testApi.newOrganization()
    const { status, body } = await caller.get(`tokens/?cursor=${cursor}`)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_cursor' })
  })
})
