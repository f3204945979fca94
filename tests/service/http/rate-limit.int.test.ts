import { type Caller, TestApi } from '@reelkeep/testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.useRealTimers()
})

const send = (caller: Caller, headers = {}) => caller.get('tokens/current/', headers)

async function statusesOf(count: number, call: () => Promise<{ status: number }>) {
  const statuses: number[] = []
  for (let index = 0; index < count; index++) statuses.push((await call()).status)
  return statuses
}

const times = (count: number, status: number) => Array<number>(count).fill(status)

describe('the rate limit of an organization', () => {
  it('is reported in headers: limit, remaining requests and reset time', async () => {
    await using testApi = await TestApi.open({ RATE_LIMIT_PER_MINUTE: '5' })
    const caller = await testApi.newOrganization()
    for (const left of [4, 3]) {
      const { headers } = await send(caller)
      expect(headers['ratelimit-policy']).toBe('"organization";q=5;w=60')
      expect(headers['ratelimit']).toMatch(new RegExp(`^"organization";r=${left};t=(60|5\\d)$`))
    }
  })

  it('rejects further requests with 429, Retry-After and the RateLimit headers', async () => {
    await using testApi = await TestApi.open({ RATE_LIMIT_PER_MINUTE: '5' })
    const caller = await testApi.newOrganization()
    expect(await statusesOf(5, () => send(caller))).toEqual(times(5, 200))
    const { status, body, headers } = await send(caller)
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
    expect(headers['retry-after']).toMatch(/^(60|5\d)$/)
    expect(headers['ratelimit-policy']).toBe('"organization";q=5;w=60')
    expect(headers['ratelimit']).toMatch(/^"organization";r=0;t=(60|5\d)$/)
  })

  it('prevents a rejected request from changing data', async () => {
    await using testApi = await TestApi.open({ RATE_LIMIT_PER_MINUTE: '1' })
    await using roomy = await TestApi.open()
    const caller = await testApi.newOrganization()
    await send(caller)
    expect((await caller.post('assets/folders/', { title: 'x' })).status).toBe(429)
    const elsewhere = (await roomy.newOrganization()).at(caller.organizationId).withToken(caller.token)
    expect((await elsewhere.get<{ count: number }>('assets/folders/')).body.count).toBe(0)
  })

  it('counts the requests of all tokens and operations, including rejected requests', async () => {
    await using testApi = await TestApi.open({ RATE_LIMIT_PER_MINUTE: '5' })
    const caller = await testApi.newOrganization()
    const { body } = await caller.post<{ token: string }>('tokens/', { name: 'x', scopes: ['*'] })
    const second = caller.withToken(body.token)
    expect((await second.get('assets/folders/')).status).toBe(200)
    expect((await second.get('assets/folders/11111111111/')).status).toBe(404)
    expect((await second.post('assets/folders/', {})).status).toBe(400)
    expect((await caller.at('nobody00').get('tokens/')).status).toBe(404)
    expect((await send(caller)).status).toBe(429)
    expect((await send(second)).status).toBe(429)
  })

  it('does not affect another organization', async () => {
    await using testApi = await TestApi.open({ RATE_LIMIT_PER_MINUTE: '2' })
    const [greedy, modest] = [await testApi.newOrganization(), await testApi.newOrganization()]
    expect(await statusesOf(4, () => send(greedy))).toEqual([200, 200, 429, 429])
    expect((await send(modest)).status).toBe(200)
  })

  it('allows requests again after Retry-After', async () => {
    await using testApi = await TestApi.open({ RATE_LIMIT_PER_MINUTE: '1' })
    const caller = await testApi.newOrganization()
    await send(caller)
    const { status, headers } = await send(caller)
    expect(status).toBe(429)
    // Fakes only the date of this process; timers and Postgres run in real time.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    vi.setSystemTime(Date.now() + Number(headers['retry-after']) * 1000)
    expect((await send(caller)).status).toBe(200)
  })
})

describe('a client without a valid token', () => {
  const FAILED_LOGINS_PER_MINUTE = 60
  const from = (ip: string) => ({ 'x-forwarded-for': ip })

  it('gets 429 after sixty failures per minute from one IP address', async () => {
    await using testApi = await TestApi.open({ TRUSTED_PROXY_HOPS: '1' })
    const caller = await testApi.newOrganization()
    let guess = 0
    const tries = await statusesOf(FAILED_LOGINS_PER_MINUTE, () =>
      send(caller.withToken(`guess-${guess++}`), from('192.0.2.1')),
    )
    expect(tries).toEqual(times(FAILED_LOGINS_PER_MINUTE, 401))
    const rejected = await send(caller.withToken('guess'), from('192.0.2.1'))
    expect(rejected).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0)
  })

  it('gets as many 401 as the operator allows, then 429 that says why, all with the RateLimit headers', async () => {
    await using testApi = await TestApi.open({ FAILED_AUTHENTICATIONS_PER_MINUTE: '3' })
    const anonymous = (await testApi.newOrganization()).withToken('guess')
    for (const [status, left] of [
      [401, 2],
      [401, 1],
      [401, 0],
      [429, 0],
    ]) {
      const response = await send(anonymous)
      expect(response.status).toBe(status)
      expect(response.headers['ratelimit-policy']).toBe('"failed-authentications";q=3;w=60')
      expect(response.headers['ratelimit']).toMatch(new RegExp(`^"failed-authentications";r=${left};t=(60|5\\d)$`))
    }
    expect((await send(anonymous)).body.detail).toMatch(
      /^Too many requests without a valid token from this IP address\. Retry in \d+ seconds\.$/,
    )
  })

  it('does not lock out a valid token at the same IP address', async () => {
    await using testApi = await TestApi.open({ TRUSTED_PROXY_HOPS: '1' })
    const caller = await testApi.newOrganization()
    const anonymous = caller.withToken('guess')
    await statusesOf(FAILED_LOGINS_PER_MINUTE + 1, () => send(anonymous, from('192.0.2.1')))
    expect((await send(caller, from('192.0.2.1'))).status).toBe(200)
    expect((await send(anonymous, from('192.0.2.2'))).status).toBe(401)
  })

  it('cannot forge its IP address if no proxy is trusted', async () => {
    await using testApi = await TestApi.open({ TRUSTED_PROXY_HOPS: '0' })
    const anonymous = (await testApi.newOrganization()).withToken('guess')
    let last = 0
    const next = () => send(anonymous, from(`192.0.2.${last++}`))
    const tries = await statusesOf(FAILED_LOGINS_PER_MINUTE + 1, next)
    expect(tries.at(-1)).toBe(429)
  })

  it('cannot forge its IP address by adding another one before the address from the proxy', async () => {
    await using testApi = await TestApi.open({ TRUSTED_PROXY_HOPS: '1' })
    const anonymous = (await testApi.newOrganization()).withToken('guess')
    let last = 0
    const next = () => send(anonymous, from(`192.0.2.${last++}, 198.51.100.7`))
    const tries = await statusesOf(FAILED_LOGINS_PER_MINUTE + 1, next)
    expect(tries.at(-1)).toBe(429)
  })
})
