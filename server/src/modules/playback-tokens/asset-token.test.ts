import { createHmac, createSecretKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId, TokenId } from '../../kernel/ids.ts'
import { isAssetToken, readAssetToken, writeAssetToken } from './asset-token.ts'

const key = createSecretKey(Buffer.alloc(32, 1))
const video = {
  organizationId: 'acme1234' as OrganizationId,
  assetId: '019a0000-0000-7000-8000-000000000000' as AssetId,
}
const by = '019a0000-0000-7000-8000-00000000000a' as TokenId
const content = { exp: 1_800_000_000, epoch: 7, by }
const token = writeAssetToken(key, video, content)

describe('an asset token', () => {
  it('has 56 characters and contains what was written, up to the limits', () => {
    expect(token).toMatch(/^[\w-]{56}$/)
    const largest = { exp: 2 ** 32 - 1, epoch: 2 ** 31 - 1, by: 'ffffffff-ffff-ffff-ffff-ffffffffffff' as TokenId }
    for (const each of [content, largest, { ...content, epoch: 0 }]) {
      expect(readAssetToken(key, video, writeAssetToken(key, video, each))).toEqual(each)
    }
  })

  it('ends with 136 bits of an HMAC-SHA-256 of its content and the video', () => {
    const bytes = Buffer.from(token, 'base64url')
    const signed = Buffer.concat([bytes.subarray(0, 25), Buffer.from(`${video.organizationId}/${video.assetId}`)])
    const mac = createHmac('sha256', Buffer.alloc(32, 1)).update(signed).digest()
    expect(bytes.subarray(25)).toEqual(mac.subarray(0, 17))
  })

  it('is not valid if any bit is changed', () => {
    const bytes = Buffer.from(token, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      expect(readAssetToken(key, video, changed.toString('base64url')), `bit ${bit}`).toBeUndefined()
    }
  })

  it.each([
    ['another organization', { ...video, organizationId: 'acme1235' as OrganizationId }],
    ['another asset', { ...video, assetId: '019a0000-0000-7000-8000-000000000001' as AssetId }],
  ])('is not valid for %s', (_, other) => {
    expect(readAssetToken(key, other, token)).toBeUndefined()
  })

  it('is not valid with another key', () => {
    expect(readAssetToken(createSecretKey(Buffer.alloc(32, 2)), video, token)).toBeUndefined()
  })

  it('is not valid if its version is unknown, even with a correct MAC', () => {
    const unknown = Buffer.from(token, 'base64url').subarray(0, 25)
    unknown.writeUInt8(2)
    const signed = createHmac('sha256', key).update(unknown).update(`${video.organizationId}/${video.assetId}`).digest()
    const other = Buffer.concat([unknown, signed.subarray(0, 17)]).toString('base64url')
    expect(isAssetToken(other)).toBe(true)
    expect(readAssetToken(key, video, other)).toBeUndefined()
  })

  it('can only be written for an API token whose id is a UUID', () => {
    expect(() => writeAssetToken(key, video, { ...content, by: 'creator' as TokenId })).toThrow('UUID')
  })
})

it.each(['', 'open', 'a.b.c', `${token.slice(1)}.`, `${token}A`, token.slice(1), `${token.slice(1)}=`, `${token}\n`])(
  '%j is not an asset token',
  (text) => {
    expect(isAssetToken(text)).toBe(false)
    expect(readAssetToken(key, video, text)).toBeUndefined()
  },
)
