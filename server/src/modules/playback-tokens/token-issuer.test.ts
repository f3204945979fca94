import { decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId, TokenId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { TOKEN_LENGTH_MAX } from './playback-tokens.rules.ts'
import { TokenIssuer } from './token-issuer.ts'

const secret = 'a secret of more than thirty-two characters'
const open = (own = secret, previousSecret?: string) => new TokenIssuer({ secret: own, previousSecret })

const organization = 'acme1234' as OrganizationId
const asset = '019a0000-0000-7000-8000-000000000000' as AssetId
const tokenId = '019a0000-0000-7000-8000-00000000000a' as TokenId
const reader = { organizationId: organization, id: tokenId, expiresAt: null, playbackEpoch: 7 }
const at = (time: string) => new Date(`2027-01-31T${time}Z`)

const video = { organizationId: organization, assetId: asset }
const claimsIn = (token: string, by = open()) => by.readAssetToken(token, video)?.claims

describe('the playback token in an asset response', () => {
  it('lasts six to seven hours and ends at a full hour', () => {
    const { exp = 0, iat = 0, ...claims } = claimsIn(open().forAsset(reader, asset, at('10:00:01'))) ?? {}
    expect(new Date(exp * 1000)).toEqual(at('17:00:00'))
    expect(new Date(iat * 1000)).toEqual(at('10:00:00'))
    expect(claims).toEqual({ iss: organization, sub: asset, jti: 'asset', by: tokenId, epoch: 7 })
  })

  it('is the same within an hour, on every instance', () => {
    const tokenIssuer = open()
    const token = tokenIssuer.forAsset(reader, asset, at('10:00:01'))
    expect(tokenIssuer.forAsset(reader, asset, at('11:00:00'))).toBe(token)
    expect(open().forAsset(reader, asset, at('10:59:59'))).toBe(token)
    expect(tokenIssuer.forAsset(reader, asset, at('11:00:01'))).not.toBe(token)
  })

  it.each([
    ['another API token', { id: '019a0000-0000-7000-8000-00000000000b' as TokenId }],
    ['another epoch', { playbackEpoch: 8 }],
    ['an API token that expires earlier', { expiresAt: '2027-01-31T12:00:00.000000Z' as Timestamp }],
  ])('differs for %s', (_, other) => {
    const tokenIssuer = open()
    const token = tokenIssuer.forAsset(reader, asset, at('10:00:01'))
    expect(tokenIssuer.forAsset({ ...reader, ...other }, asset, at('10:00:01'))).not.toBe(token)
  })

  it('expires with the API token at the latest', () => {
    const expiresAt = '2027-01-31T12:34:56.789012Z' as Timestamp
    const token = open().forAsset({ ...reader, expiresAt }, asset, at('10:00:01'))
    expect(new Date((claimsIn(token)?.exp ?? 0) * 1000)).toEqual(at('12:34:56'))
  })
})

const claims = { iss: organization, sub: asset, iat: 1_800_000_000, exp: 4_000_000_000, jti: 'one', epoch: 7 }

describe('a signing key of the service', () => {
  it('is the same for the same secret and differs for another secret', async () => {
    const token = open().sign(claims)
    const { kid = '' } = decodeProtectedHeader(token)
    expect(kid).toMatch(/^service-[0-9a-f]{12}$/)
    const key = open().publicKey(kid)
    expect(key && (await jwtVerify(token, key)).payload.sub).toBe(asset)
    expect(open(`another ${secret}`).publicKey(kid)).toBeUndefined()
  })

  it('still verifies tokens but signs no new ones if it is derived from the previous secret', () => {
    const { kid = '' } = decodeProtectedHeader(open().sign(claims))
    const after = open(`another ${secret}`, secret)
    expect(after.publicKey(kid)).toBeDefined()
    expect(decodeProtectedHeader(after.sign(claims)).kid).not.toBe(kid)
  })

  it('has a key for asset tokens beside it, which is accepted and replaced in the same way', () => {
    const token = open().forAsset(reader, asset, new Date())
    const after = open(`another ${secret}`, secret)
    const { kid } = decodeProtectedHeader(open().sign(claims))
    expect(after.readAssetToken(token, video)).toMatchObject({ kid, claims: { by: tokenId } })
    expect(open().readAssetToken(after.forAsset(reader, asset, new Date()), video)).toBeUndefined()
    expect(open(`another ${secret}`).readAssetToken(token, video)).toBeUndefined()
  })
})

it('a token with every rule at its limit is short enough to be accepted', () => {
  const of = <Item>(item: (index: number) => Item) => Array.from({ length: 20 }, (_, n) => item(n))
  const token = open().sign({
    iss: 'x'.repeat(12) as OrganizationId,
    sub: asset,
    iat: 1_800_000_000,
    exp: 1_800_000_060,
    jti: 'x'.repeat(64),
    viewer: '😀'.repeat(128),
    once: true,
    referrers: of((n) => `${'x'.repeat(98)}${n}`.slice(-100)),
    networks: of(
      (n) =>
        `${String(2000 + n)
          .repeat(8)
          .match(/.{4}/g)
          ?.join(':')}/128`,
    ),
    watermark: '😀'.repeat(100),
    of: { jti: 'x'.repeat(64), kid: 'x'.repeat(64) },
    by: tokenId,
    epoch: 2_147_483_647,
  })
  expect(token.length).toBeGreaterThan(TOKEN_LENGTH_MAX / 2)
  expect(token.length).toBeLessThanOrEqual(TOKEN_LENGTH_MAX)
})
