/**
 * Every operation that returns a secret, called with a token that was just revoked on another instance. What the
 * operation creates never exceeds the scopes and the expiry of its caller.
 */
import { randomUUID } from 'node:crypto'
import {
  type accessTokens,
  type invitations,
  operations,
  type Scope,
  type signingKeys,
  type tokens,
  type webhooks,
} from '@reelkeep/contract'
import {
  ApiProcess,
  type ApiResponse,
  Caller,
  newOrganization,
  openOwner,
  probedAsset,
  resetDatabase,
  stackEnv,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const ROUNDS = 200
const env = withDatabase(stackEnv(), 'grants')
await resetDatabase(env)
const settings = { RATE_LIMIT_PER_MINUTE: '1000000' }
const here = await opened(ApiProcess.start(settings, env))
const there = await opened(ApiProcess.start(settings, env))
const owner = await opened(Promise.resolve(openOwner(env)))
const { organizationId, token } = await newOrganization(owner)
const caller = new Caller(here.send, organizationId, token)
const { asset } = await probedAsset(caller, {}, env)

const isTokenLive = async ({ token: text }: { token: string }) =>
  (await caller.withToken(text).get('tokens/current/')).status === 200
const url = 'https://receiver.example/events'
const accessTokensUrl = `assets/${asset.id}/access-tokens/`

type Created = { readonly id: string; readonly expires_at: string | null; readonly scopes?: readonly Scope[] }

type Grant = {
  readonly scopes: readonly Scope[]
  readonly run: (grantor: Caller) => Promise<ApiResponse<unknown>>
  /** Whether what the operation created still works. */
  readonly isUsable: (created: never) => Promise<boolean>
}

/** A token of the caller that the grantor may rotate. */
const newOtherToken = async () =>
  (await caller.post<tokens.NewToken>('tokens/', { name: 'Other', scopes: ['tokens:write'] })).body.id

const isWebhookUsable = async ({ id }: webhooks.NewWebhook) => {
  const { body } = await caller.get<webhooks.Webhook>(`webhooks/${id}/`)
  await caller.delete(`webhooks/${id}/`)
  return body.enabled
}

const grants: Record<string, Grant> = {
  createToken: {
    scopes: ['tokens:write'],
    run: (grantor) => grantor.post('tokens/', { name: 'Child', scopes: ['tokens:write'] }),
    isUsable: isTokenLive,
  },
  rotateToken: {
    scopes: ['tokens:write'],
    run: async (grantor) => grantor.post(`tokens/${await newOtherToken()}/rotate/`),
    isUsable: isTokenLive,
  },
  createSigningKey: {
    scopes: ['keys:write'],
    run: (grantor) => grantor.post('signing-keys/', { name: 'Website' }),
    isUsable: async ({ id }: signingKeys.NewSigningKey) => (await caller.delete(`signing-keys/${id}/`)).status === 204,
  },
  createAccessToken: {
    scopes: ['playback:write'],
    run: (grantor) => grantor.post(accessTokensUrl, {}),
    isUsable: async ({ id }: accessTokens.NewAccessToken) =>
      (await caller.get<accessTokens.AccessToken>(`${accessTokensUrl}${id}/`)).body.revoked_at === null,
  },
  createWebhook: {
    scopes: ['webhooks:write', 'events:read'],
    run: (grantor) => grantor.post('webhooks/', { url }),
    isUsable: isWebhookUsable,
  },
  rotateWebhookSecret: {
    scopes: ['webhooks:write', 'events:read'],
    run: async (grantor) => {
      const { body } = await caller.post<webhooks.NewWebhook>('webhooks/', { url })
      return grantor.post(`webhooks/${body.id}/rotate-secret/`)
    },
    isUsable: isWebhookUsable,
  },
  createInvitation: {
    scopes: ['members:write', 'assets:read', 'events:read', 'folders:read', 'playback:read'],
    run: (grantor) => grantor.post('invitations/', { email: `${randomUUID()}@example.org`, role: 'viewer' }),
    isUsable: async ({ id, link }: invitations.NewInvitation) => {
      const path = `/api/account/invitations/${new URL(link).hash.slice(1)}/`
      const { status } = await here.send({ method: 'GET', path, headers: {}, body: undefined })
      await caller.delete(`invitations/${id}/`)
      return status === 200
    },
  },
}
const entries = Object.entries(grants)

/** A token whose caller sends its requests to the other instance, which has just verified it. */
async function newGrantor({ scopes }: Grant, expiresAt: string | null = null) {
  const input = { name: 'Grantor', scopes, expires_at: expiresAt }
  const { body } = await caller.post<tokens.NewToken>('tokens/', input)
  const elsewhere = new Caller(there.send, organizationId, body.token)
  expect((await elsewhere.get('tokens/current/')).status).toBe(200)
  return { ...body, elsewhere }
}

/** Only an owner can create a recovery link: the scope `*` is tested in `recovery-links.routes.int.test.ts`. */
const recovery = ['createRecoveryLink']

/**
 * The form of an upload session, also of one for a new version, stores one file and reads nothing. It expires with its
 * token at the latest, which is tested in `grants.routes.int.test.ts`.
 */
const ownLimits = ['createUploadSession', 'createVersion', ...recovery]

it('covers every operation that returns a secret', () => {
  const secret = operations.filter((operation) => 'secretResponse' in operation).map(({ id }) => id)
  expect([...Object.keys(grants), ...ownLimits].sort()).toEqual(secret.sort())
})

describe.each(entries)('%s', (_, grant) => {
  it('creates nothing beyond the scopes and the expiry of the token', async () => {
    const expiresAt = new Date(Date.now() + 600_000).toISOString()
    const { elsewhere, ...grantor } = await newGrantor(grant, expiresAt)
    const { status, body } = (await grant.run(elsewhere)) as ApiResponse<Created>
    expect(status).toBe(201)
    expect(Date.parse(body.expires_at ?? '')).toBeLessThanOrEqual(Date.parse(grantor.expires_at ?? ''))
    if (body.scopes) expect(grant.scopes).toEqual(expect.arrayContaining([...body.scopes]))
    await grant.isUsable(body as never)
  })

  it.each(grant.scopes)('needs %s', async (missing) => {
    const scopes = [...grant.scopes.filter((scope) => scope !== missing), 'organization:read' as const]
    const { elsewhere } = await newGrantor({ ...grant, scopes })
    expect((await grant.run(elsewhere)).status).toBe(403)
  })
})

describe('a token that is revoked on another instance', () => {
  it(`creates nothing afterwards, in ${ROUNDS / 2} rounds`, async () => {
    const escapes: string[] = []
    for (let round = 0; round < ROUNDS / 2; round++) {
      const [id, grant] = entries[round % entries.length] as [string, Grant]
      const { elsewhere, ...grantor } = await newGrantor(grant)
      expect((await caller.delete(`tokens/${grantor.id}/`)).status).toBe(204)
      const { status } = await grant.run(elsewhere)
      if (status !== 401) escapes.push(`${id}: ${status}`)
    }
    expect(escapes).toEqual([])
  })

  it(`takes what it creates at the same moment with it, in ${ROUNDS / 2} rounds`, async () => {
    const escapes: string[] = []
    let created = 0
    for (let round = 0; round < ROUNDS / 2; round++) {
      const [id, grant] = entries[round % entries.length] as [string, Grant]
      const { elsewhere, ...grantor } = await newGrantor(grant)
      const [{ status, body }, revocation] = await Promise.all([
        grant.run(elsewhere),
        caller.delete(`tokens/${grantor.id}/?descendants=true`),
      ])
      expect(revocation.status).toBe(204)
      if (status !== 201) continue
      created++
      if (await grant.isUsable(body as never)) escapes.push(id)
    }
    process.stdout.write(
      `credentials created during a revocation: ${created} of ${ROUNDS / 2}; usable: ${escapes.length}\n`,
    )
    expect(escapes).toEqual([])
  })
})
