import { type Caller, TestApi } from '@reelkeep/testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

// The time that a request takes counts too. Without this clock, it would depend on the load of the machine.
beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(performance.now())
})
afterEach(() => {
  vi.restoreAllMocks()
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
      expect(headers['ratelimit']).toMatch(new RegExp(`^"organization";r=${left};t=\\d+$`))
    }
  })

  it('rejects further requests with 429, Retry-After and the RateLimit headers', async () => {
    await using testApi = await TestApi.open({ RATE_LIMIT_PER_MINUTE: '5' })
    const caller = await testApi.newOrganization()
    expect(await statusesOf(5, () => send(caller))).toEqual(times(5, 200))
    const { status, body, headers } = await send(caller)
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
    expect(headers['retry-after']).toMatch(/^\d+$/)
    expect(headers['ratelimit-policy']).toBe('"organization";q=5;w=60')
    expect(headers['ratelimit']).toMatch(/^"organization";r=0;t=\d+$/)
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

describe('the points of a request', () => {
  const remaining = ({ headers }: { headers: Record<string, unknown> }) =>
    Number(/^"organization";r=(\d+);/.exec(String(headers['ratelimit']))?.[1])

  it('grow with the size of its body, also if it is refused', async () => {
    await using testApi = await TestApi.open({ RATE_LIMIT_PER_MINUTE: '1000' })
    const caller = await testApi.newOrganization()
    expect(remaining(await caller.post('assets/folders/', { title: 'x' }))).toBe(999)
    expect(remaining(await caller.post('assets/folders/', { title: 'x'.repeat(40 * 4096) }))).toBe(1000 - 1 - 41)
    const invalid = { 'content-type': 'application/json' }
    expect(remaining(await caller.send('POST', 'assets/folders/', '['.repeat(10 * 4096), invalid))).toBe(947)
  })

  it('grow with the time that it takes', async () => {
    await using testApi = await TestApi.open({ RATE_LIMIT_PER_MINUTE: '1000' })
    const caller = await testApi.newOrganization()
    await send(caller)
    let nowMs = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1000))
    expect(remaining(await send(caller))).toBeLessThanOrEqual(1000 - 1 - 11)
  })

  it('may exceed what is left, but further requests get 429', async () => {
    await using testApi = await TestApi.open({ RATE_LIMIT_PER_MINUTE: '5' })
    const caller = await testApi.newOrganization()
    const large = { title: 'x', parent: 'x'.repeat(40 * 4096) }
    expect((await caller.post('assets/folders/', large)).status).toBe(400)
    expect((await send(caller)).status).toBe(429)
  })
})

describe('the rate limit of a token', () => {
  it('is reported after that of the organization, and leaves requests to other tokens', async () => {
    const settings = { RATE_LIMIT_PER_MINUTE: '10', RATE_LIMIT_PER_TOKEN_PER_MINUTE: '3' }
    await using testApi = await TestApi.open(settings)
    const caller = await testApi.newOrganization()
    const { body, headers } = await caller.post<{ token: string }>('tokens/', { name: 'x', scopes: ['*'] })
    expect(headers['ratelimit-policy']).toBe('"organization";q=10;w=60, "token";q=3;w=60')
    expect(headers['ratelimit']).toMatch(/^"organization";r=9;t=\d+, "token";r=2;t=\d+$/)
    expect(await statusesOf(3, () => send(caller))).toEqual([200, 200, 429])
    expect((await send(caller.withToken(body.token))).status).toBe(200)
  })

  it('does not use the points of the organization for refused requests', async () => {
    const settings = { RATE_LIMIT_PER_MINUTE: '10', RATE_LIMIT_PER_TOKEN_PER_MINUTE: '3' }
    await using testApi = await TestApi.open(settings)
    const caller = await testApi.newOrganization()
    const { body } = await caller.post<{ token: string }>('tokens/', { name: 'x', scopes: ['*'] })
    expect(await statusesOf(11, () => send(caller))).toEqual([200, 200, ...times(9, 429)])
    const { headers } = await send(caller)
    expect(headers['ratelimit']).toMatch(/^"token";r=0;t=\d+$/)
    expect((await send(caller.withToken(body.token))).headers['ratelimit']).toMatch(/^"organization";r=6;/)
  })
})

describe('a rate limit in Postgres', () => {
  const settings = { RATE_LIMIT_PER_MINUTE: '6', RATE_LIMIT_STORE: 'postgres' }

  it('is shared by all instances', async () => {
    await using one = await TestApi.open(settings)
    await using other = await TestApi.open(settings)
    const caller = await one.newOrganization()
    const elsewhere = (await other.newOrganization()).at(caller.organizationId).withToken(caller.token)
    expect(await statusesOf(4, () => send(caller))).toEqual(times(4, 200))
    const { headers } = await send(elsewhere)
    expect(headers['ratelimit']).toMatch(/^"organization";r=1;t=\d+$/)
    expect(await statusesOf(2, () => send(elsewhere))).toEqual([200, 429])
    expect((await send(caller)).status).toBe(429)
    expect((await send(await one.newOrganization())).status).toBe(200)
  })

  it('counts concurrent requests of two instances exactly', async () => {
    await using one = await TestApi.open({ ...settings, RATE_LIMIT_PER_MINUTE: '20' })
    await using other = await TestApi.open({ ...settings, RATE_LIMIT_PER_MINUTE: '20' })
    const caller = await one.newOrganization()
    const elsewhere = (await other.newOrganization()).at(caller.organizationId).withToken(caller.token)
    const sent = Array.from({ length: 40 }, (_, index) => send(index % 2 === 0 ? caller : elsewhere))
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
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
      expect(response.headers['ratelimit']).toMatch(new RegExp(`^"failed-authentications";r=${left};t=\\d+$`))
    }
    expect((await send(anonymous)).body.detail).toMatch(
      /^Too many requests without a valid token or session from this IP address\. Retry in \d+ seconds\.$/,
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
