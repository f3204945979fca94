/** Counts the database queries for playback tokens. The access rules are tested in `../playback`. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId, TokenId } from '../../kernel/ids.ts'
import type { Absence } from '../../platform/db/suspension.ts'
import { PlaybackAuthorizer } from './playback-authorizer.ts'
import { ENDED_CREATORS_MAX } from './playback-tokens.rules.ts'
import type { TokenPolicyRows } from './playback-tokens.store.ts'
import { RevocationCache } from './revocation-cache.ts'
import { TokenIssuer } from './token-issuer.ts'

const organizationId = 'acme1234' as OrganizationId
const assetId = '019a0000-0000-7000-8000-000000000000' as AssetId
const otherAssetId = '019a0000-0000-7000-8000-000000000001' as AssetId

const tokenIssuer = new TokenIssuer({ secret: 'a'.repeat(32), previousSecret: undefined })
const others = new TokenIssuer({ secret: 'b'.repeat(32), previousSecret: undefined })
const tokenId = '019a0000-0000-7000-8000-00000000000a' as TokenId
const reader = { organizationId, id: tokenId, expiresAt: null, playbackEpoch: 0 }
const noTokens = { keys: [], revoked: [], endedCreators: [], epoch: 0 }
/** Organizations that are not served here. */
const absences: Record<string, Absence> = { moved123: 'migrated', ended123: 'deleted' }
const good = tokenIssuer.forAsset(reader, assetId, new Date())

let queries: string[]
let authorizer: PlaybackAuthorizer
let revocations: RevocationCache
beforeEach(() => {
  queries = []
  revocations = new RevocationCache(async (organization) => {
    queries.push(organization)
    const isUnknown = organization.startsWith('unknown')
    return isUnknown ? undefined : { absence: absences[organization] ?? null, isOpen: false, ...noTokens }
  })
  authorizer = new PlaybackAuthorizer(tokenIssuer, revocations)
})

const authorize = (token: string, organization: string = organizationId, asset = assetId) =>
  authorizer.authorize({
    ...{ token, assetId: asset, organizationId: organization as OrganizationId, name: '240p.m3u8' },
    ...{ page: { origin: undefined, referer: undefined }, ip: '192.0.2.1' },
  })

const denied = { code: 'playback_denied' }

describe('PlaybackAuthorizer', () => {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const lifetime = { iat: nowSeconds, exp: nowSeconds + 60 }
  const signed = tokenIssuer.sign({ iss: organizationId, sub: assetId, ...lifetime, jti: 'one', epoch: 0 })
  const [header = '', claims = ''] = signed.split('.')
  const expired = { iss: organizationId, sub: assetId, iat: 0, exp: 60, jti: 'one', epoch: 0 }
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  it.each([
    ['a text that is not a token', 'x'],
    ['a text with the format of a token', 'a.b.c'],
    ['a token that is too long', `${signed}${'A'.repeat(6144)}`],
    ['a token that names no key', `${encoded({ alg: 'EdDSA' })}.${claims}.AAAA`],
    ['a token with another algorithm', `${encoded({ alg: 'none', kid: randomUUID() })}.${claims}.AAAA`],
    ['a forged token with the key id of the service', `${header}.${claims}.${'A'.repeat(86)}`],
    ['a token signed with an unknown service secret', others.sign({ ...expired, ...lifetime })],
    ['an expired token of the service', tokenIssuer.sign(expired)],
    ['an asset token of an unknown service secret', others.forAsset(reader, assetId, new Date())],
    ['an asset token of another video', tokenIssuer.forAsset(reader, otherAssetId, new Date())],
    ['an expired asset token', tokenIssuer.forAsset(reader, assetId, new Date(0))],
    ['a changed asset token', `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`],
    ['a shortened asset token', good.slice(0, -1)],
    ['a text with the format of an asset token', 'A'.repeat(56)],
    [
      'a token of another organization',
      tokenIssuer.forAsset({ ...reader, organizationId: 'other123' as OrganizationId }, assetId, new Date()),
    ],
  ])('rejects %s without a database query', async (_, token) => {
    await expect(authorize(token)).rejects.toMatchObject(denied)
    expect(queries).toEqual([])
  })

  it('rejects a cached token in the URL of another organization without a database query', async () => {
    await authorize(good)
    await expect(authorize(good, 'other123')).rejects.toMatchObject(denied)
    expect(queries).toEqual([organizationId])
  })

  it('rejects a cached asset token in the URL of another video', async () => {
    await authorize(good)
    await expect(authorize(good, organizationId, otherAssetId)).rejects.toMatchObject(denied)
  })
})

describe('PlaybackAuthorizer.authorize', () => {
  it('queries the organization once for concurrent requests with a service token, which may be revoked', async () => {
    await Promise.all(Array.from({ length: 100 }, () => authorize(good)))
    expect(queries).toEqual([organizationId])
  })

  it('queries the organization for a token whose key may belong to it', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const token = await new SignJWT({ iss: organizationId, sub: assetId, jti: 'own' })
      .setProtectedHeader({ typ: 'playback+jwt', alg: 'EdDSA', kid: randomUUID() })
      .setIssuedAt()
      .setExpirationTime('1 minute')
      .sign(privateKey)
    await expect(authorize(token)).rejects.toMatchObject(denied)
    expect(queries).toEqual([organizationId])
  })
})

it('unknown organization ids do not evict known organizations from the cache', async () => {
  await authorize(good)
  const invented = Array.from({ length: 1500 }, (_, count) => authorize('open', `unknown${count}`))
  for (const { status } of await Promise.allSettled(invented)) expect(status).toBe('rejected')
  expect(revocations.findCached(organizationId)).toBeDefined()
  await expect(authorize('open', 'unknown1499')).rejects.toMatchObject(denied)
  expect(queries).toHaveLength(1501)
})

it('playback is unavailable for an organization that was migrated away', async () => {
  await expect(authorize('open', 'moved123')).rejects.toMatchObject({ code: 'unavailable' })
})

it('playback is denied for an organization that is being deleted', async () => {
  const ended = tokenIssuer.forAsset({ ...reader, organizationId: 'ended123' as OrganizationId }, assetId, new Date())
  for (const token of ['open', ended]) await expect(authorize(token, 'ended123')).rejects.toMatchObject(denied)
})

describe('a token that the service signed', () => {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const claims = { iss: organizationId, sub: assetId, iat: nowSeconds, exp: nowSeconds + 60, jti: 'one', by: tokenId }
  const accessToken = tokenIssuer.sign({ ...claims, epoch: 0 })
  const authorizeWith = (token: string, more: Partial<TokenPolicyRows>) => {
    const policy = { absence: null, isOpen: false, ...noTokens, ...more }
    return new PlaybackAuthorizer(tokenIssuer, new RevocationCache(async () => policy)).authorize({
      ...{ token, assetId, organizationId, name: '240p.m3u8' },
      ...{ page: { origin: undefined, referer: undefined }, ip: '192.0.2.1' },
    })
  }
  const ended = (id: string, withDescendants: boolean) => ({ id, withDescendants })
  const many = (count: number) => Array.from({ length: count }, (_, index) => ended(`token-${index}`, true))

  it.each([
    ['an access token', accessToken],
    ['the token of an asset response', good],
  ])('is accepted if only other API tokens ended, up to the limit: %s', async (_, token) => {
    const viewer = await authorizeWith(token, { endedCreators: many(ENDED_CREATORS_MAX) })
    expect(viewer.token).toMatchObject({ by: tokenId })
  })

  it('is accepted if its epoch is later than the cached one', async () => {
    await authorizeWith(tokenIssuer.sign({ ...claims, epoch: 1 }), { epoch: 0 })
  })

  it('is accepted if it is an access token and its creator was revoked alone', async () => {
    await authorizeWith(accessToken, { endedCreators: [ended(tokenId, false)] })
  })

  it.each<[string, string, Partial<TokenPolicyRows>]>([
    [
      'it is an access token and its creator was revoked with everything that it created',
      accessToken,
      { endedCreators: [ended(tokenId, true)] },
    ],
    ['it is of an asset response and its creator was revoked', good, { endedCreators: [ended(tokenId, false)] }],
    ['more API tokens ended than are read', accessToken, { endedCreators: many(ENDED_CREATORS_MAX + 1) }],
    ['the epoch was increased', accessToken, { epoch: 1 }],
    ['the epoch was increased and it is of an asset response', good, { epoch: 1 }],
    ['it has no epoch', tokenIssuer.sign(claims), {}],
  ])('is refused if %s', async (_, token, policy) => {
    await expect(authorizeWith(token, policy)).rejects.toMatchObject(denied)
  })
})
