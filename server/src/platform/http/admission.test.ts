import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { DomainError, refused } from '../../kernel/errors.ts'
import type { OrganizationId, TokenId } from '../../kernel/ids.ts'
import { admission } from './admission.ts'
import type { Principal } from './authentication.ts'
import { openRateLimits } from './rate-limit.ts'

const organizationId = 'ours1234' as OrganizationId
const principal: Principal = {
  tokenId: 'any' as TokenId,
  organizationId,
  scopes: ['*'],
  expiresAt: null,
}

/** A door at which `valid` is the only token; `familiar` is one that was found to be so before. */
function door() {
  const lookUps = { count: 0, atOnce: 0, atOnceMost: 0 }
  const doorkeeper = {
    recall: () => undefined,
    isFamiliar: (token: string) => token === 'familiar',
    async find(token: string | undefined) {
      lookUps.count++
      lookUps.atOnceMost = Math.max(lookUps.atOnceMost, ++lookUps.atOnce)
      await sleep(1)
      lookUps.atOnce--
      if (token === 'valid' || token === 'familiar') return principal
      throw refused('unauthenticated', 'Send a valid token.')
    },
  }
  const admit = admission(doorkeeper, openRateLimits(1000))
  const reply = { header: () => undefined } as unknown as FastifyReply
  return {
    lookUps,
    /** What the request of that address with that token is answered. */
    ask: (token: string, ip = '192.0.2.1') => {
      const headers = { authorization: `token ${token}` }
      const params = { organization_id: organizationId }
      return admit({ headers, ip, params } as unknown as FastifyRequest, reply).then(
        () => 'let in',
        (error: unknown) => (error instanceof DomainError ? error.code : error),
      )
    },
  }
}

/** An address that has guessed as often as it may. */
async function guessed() {
  const { lookUps, ask } = door()
  for (let index = 0; index < 60; index++) await ask('guess')
  Object.assign(lookUps, { count: 0, atOnceMost: 0 })
  return { lookUps, ask }
}

describe('an address that guesses', () => {
  it('is told so often that it has no valid token, and then to wait', async () => {
    const { ask } = door()
    const answers: unknown[] = []
    for (let index = 0; index < 62; index++) answers.push(await ask('guess'))
    expect(answers.slice(0, 60)).toEqual(Array(60).fill('unauthenticated'))
    expect(answers.slice(60)).toEqual(['rate_limited', 'rate_limited'])
  })

  it('has one token looked up at a time from then on', async () => {
    const { lookUps, ask } = await guessed()
    for (let round = 0; round < 22; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask('guess')))
      expect(answers).toEqual(Array(20).fill('rate_limited'))
    }
    expect(lookUps).toMatchObject({ count: 22, atOnceMost: 1 })
  })

  it('does not keep out who has a valid token', async () => {
    const { ask } = await guessed()
    await Promise.all([ask('guess'), ask('guess')])
    expect(await ask('valid')).toBe('let in')
  })

  it('does not hold up who had one before, nor anybody elsewhere', async () => {
    const { ask } = await guessed()
    const [, ...others] = await Promise.all([
      ask('guess'),
      ask('familiar'),
      ask('familiar'),
      ask('valid', '192.0.2.2'),
    ])
    expect(others).toEqual(['let in', 'let in', 'let in'])
  })
})
