import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { DomainError, refused } from '../../../kernel/errors.ts'
import type { OrganizationId, TokenId } from '../../../kernel/ids.ts'
import { authenticate } from './authenticate.ts'
import type { Principal } from './principal.ts'
import { FailureLimit } from './rate-limits/failure-limit.ts'
import { RateLimit } from './rate-limits/rate-limit.ts'
import { RequestLimits } from './rate-limits/request-limits.ts'

const organizationId = 'ours1234' as OrganizationId
const principal: Principal = {
  kind: 'token',
  id: 'any' as TokenId,
  organizationId,
  scopes: ['*'],
  expiresAt: null,
  playbackEpoch: 0,
  hasQuotas: false,
  hasDefaultResolutions: false,
}

/** `valid` and `cached` are valid tokens; `cached` was looked up before. */
function newAuthenticator() {
  const lookUps = { count: 0, concurrent: 0, concurrentMax: 0 }
  const tokenVerifier = {
    fromCache: () => undefined,
    isCached: (token: string) => token === 'cached',
    async find(token: string | undefined) {
      lookUps.count++
      lookUps.concurrentMax = Math.max(lookUps.concurrentMax, ++lookUps.concurrent)
      await sleep(1)
      lookUps.concurrent--
      if (token === 'valid' || token === 'cached') return principal
      throw refused('unauthenticated', 'Send a valid token.')
    },
  }
  const newLimit = () => new RateLimit({ name: 'organization', perMinute: 1000 })
  const authenticated = authenticate({
    tokens: tokenVerifier,
    sessions: tokenVerifier as never,
    origin: 'https://video.example',
    requests: new RequestLimits({ organizations: newLimit(), tokens: undefined, uploadTokens: newLimit() }),
    failures: new FailureLimit({ name: 'failures', perMinute: 60, problem: 'Too many failures.' }),
  })
  const reply = { header: () => undefined } as unknown as FastifyReply
  return {
    lookUps,
    /** The outcome of a request with this token from this IP address. */
    request: (token: string, ip = '192.0.2.1') => {
      const headers = { authorization: `token ${token}` }
      const params = { organization_id: organizationId }
      return authenticated({ headers, ip, params, routeOptions: {} } as unknown as FastifyRequest, reply).then(
        () => 'accepted',
        (error: unknown) => (error instanceof DomainError ? error.code : error),
      )
    },
  }
}

/** Returns an authenticator after an IP address has used up its failed attempts. */
async function addressAtLimit() {
  const { lookUps, request } = newAuthenticator()
  for (let index = 0; index < 60; index++) await request('guess')
  Object.assign(lookUps, { count: 0, concurrentMax: 0 })
  return { lookUps, request }
}

describe('an IP address that sends invalid tokens', () => {
  it('gets the error unauthenticated up to the limit, then rate_limited', async () => {
    const { request } = newAuthenticator()
    const results: unknown[] = []
    for (let index = 0; index < 62; index++) results.push(await request('guess'))
    expect(results.slice(0, 60)).toEqual(Array(60).fill('unauthenticated'))
    expect(results.slice(60)).toEqual(['rate_limited', 'rate_limited'])
  })

  it('is counted with the other addresses of its IPv6 network', async () => {
    const { request } = newAuthenticator()
    for (let index = 0; index < 60; index++) await request('guess', `2001:db8:0:1::${index}`)
    expect(await request('guess', '2001:db8:0:1:ffff::')).toBe('rate_limited')
    expect(await request('guess', '2001:db8:0:2::')).toBe('unauthenticated')
  })

  it('causes one token lookup at a time beyond the limit, and at most 32 wait for it', async () => {
    const { lookUps, request } = await addressAtLimit()
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all(Array.from({ length: 40 }, () => request('guess')))
      expect(results).toEqual(Array(40).fill('rate_limited'))
    }
    expect(lookUps).toMatchObject({ count: 3 * 32, concurrentMax: 1 })
  })

  it('does not block a valid token from the same address while guesses are in progress', async () => {
    const { request } = await addressAtLimit()
    const sent = ['guess', 'guess', 'valid', 'guess', 'valid'].map((token) => request(token))
    expect(await Promise.all(sent)).toEqual(['rate_limited', 'rate_limited', 'accepted', 'rate_limited', 'accepted'])
  })

  it('does not delay cached tokens or other addresses', async () => {
    const { request } = await addressAtLimit()
    const [, ...others] = await Promise.all([
      request('guess'),
      request('cached'),
      request('cached'),
      request('valid', '192.0.2.2'),
    ])
    expect(others).toEqual(['accepted', 'accepted', 'accepted'])
  })
})
