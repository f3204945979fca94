/**
 * How many database queries a refused playback token costs. Access itself is tested in `passes.routes.int.test.ts`.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { PlaybackAuthorizer } from './playback-authorizer.ts'
import { RevocationCache } from './revocation-cache.ts'
import { TokenIssuer } from './token-issuer.ts'

const organizationId = 'acme1234' as OrganizationId
const assetId = '019a0000-0000-7000-8000-000000000000' as AssetId

const passes = new TokenIssuer({ secret: 'a'.repeat(32), previousSecret: undefined })
const others = new TokenIssuer({ secret: 'b'.repeat(32), previousSecret: undefined })
const good = passes.forAsset(organizationId, assetId, new Date())

let looks: string[]
let door: PlaybackAuthorizer
let register: RevocationCache
beforeEach(() => {
  looks = []
  register = new RevocationCache(async (organization) => {
    looks.push(organization)
    const isStrange = organization.startsWith('strange')
    return isStrange
      ? undefined
      : { isMigratedAway: organization === 'gone1234', isOpen: false, keys: [], revoked: [] }
  })
  door = new PlaybackAuthorizer(passes, register)
})

const admit = (pass: string, organization: string = organizationId) =>
  door.admit({
    ...{ pass, assetId, organizationId: organization as OrganizationId, name: '240p.m3u8' },
    ...{ page: { origin: undefined, referer: undefined }, ip: '192.0.2.1' },
  })

const denied = { code: 'playback_denied' }

describe('refused without a query', () => {
  const [header = '', claims = ''] = good.split('.')
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  it.each([
    ['a text that is not a token', 'x'],
    ['a text in the format of a token', 'a.b.c'],
    ['a token that is too long', `${good}${'A'.repeat(6144)}`],
    ['a token that names no key', `${encoded({ alg: 'EdDSA' })}.${claims}.AAAA`],
    [
      'a token with another algorithm',
      `${encoded({ alg: 'none', kid: randomUUID() })}.${claims}.AAAA`,
    ],
    ['a forged token with the key id of the service', `${header}.${claims}.${'A'.repeat(86)}`],
    [
      'a token signed with an unknown service secret',
      others.forAsset(organizationId, assetId, new Date()),
    ],
    ['one of ours that has expired', passes.forAsset(organizationId, assetId, new Date(0))],
    [
      'one of another organization',
      passes.forAsset('other123' as OrganizationId, assetId, new Date()),
    ],
  ])('%s', async (_, pass) => {
    await expect(admit(pass)).rejects.toMatchObject(denied)
    expect(looks).toEqual([])
  })

  it('a cached token in the URL of another organization', async () => {
    await admit(good)
    await expect(admit(good, 'other123')).rejects.toMatchObject(denied)
    expect(looks).toEqual([organizationId])
  })
})

describe('the organization is queried', () => {
  it('once for concurrent requests with a service token, which may be revoked', async () => {
    await Promise.all(Array.from({ length: 100 }, () => admit(good)))
    expect(looks).toEqual([organizationId])
  })

  it('for a token whose key may belong to the organization', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const pass = await new SignJWT({ iss: organizationId, sub: assetId, jti: 'own' })
      .setProtectedHeader({ alg: 'EdDSA', kid: randomUUID() })
      .setIssuedAt()
      .setExpirationTime('1 minute')
      .sign(privateKey)
    await expect(admit(pass)).rejects.toMatchObject(denied)
    expect(looks).toEqual([organizationId])
  })
})

it('unknown organization ids do not evict known organizations from the cache', async () => {
  await admit(good)
  const invented = Array.from({ length: 1500 }, (_, count) => admit('open', `strange${count}`))
  for (const { status } of await Promise.allSettled(invented)) expect(status).toBe('rejected')
  expect(register.recall(organizationId)).toBeDefined()
  await expect(admit('open', 'strange1499')).rejects.toMatchObject(denied)
  expect(looks).toHaveLength(1501)
})

it('playback is unavailable for an organization that was migrated away', async () => {
  await expect(admit('open', 'gone1234')).rejects.toMatchObject({ code: 'unavailable' })
})
