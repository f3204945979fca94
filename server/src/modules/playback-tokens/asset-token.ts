/**
 * Format of the playback token in asset responses. A response repeats the token in each URL of an asset, and a list
 * has thousands of them, so the token is short: 56 characters, a seventh of a JWT with the same claims.
 *
 * | bytes | content                                          |
 * |-------|--------------------------------------------------|
 * | 1     | version of the format                            |
 * | 4     | expiry in seconds since 1970                     |
 * | 4     | playback epoch of the organization               |
 * | 16    | id (UUID) of the API token that received the URL |
 * | 17    | MAC                                              |
 *
 * The MAC is HMAC-SHA-256, truncated to 136 bits, of the bytes before it and of the organization and asset, which are
 * in the URL. 42 bytes are 56 characters of base64url without unused bits, so a token has only one spelling. A JWT
 * contains dots and an asset token does not, so neither is parsed as the other.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { AssetId, OrganizationId, TokenId } from '../../kernel/ids.ts'

/** The video in the URL. */
export type TokenVideo = {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
  /** The only file that the token permits. Such a token has a key of its own. */
  readonly file?: string
}

export type AssetTokenContent = {
  /** Expiry in seconds since 1970. */
  readonly exp: number
  readonly epoch: number
  /** The API token that received the URL. */
  readonly by: TokenId
}

const VERSION = 1
const EXPIRY_AT = 1
const EPOCH_AT = 5
const CREATOR_AT = 9
const MAC_AT = 25
const MAC_BYTES = 17

const form = /^[\w-]{56}$/

export const isAssetToken = (token: string): boolean => form.test(token)

export function writeAssetToken(key: KeyObject, video: TokenVideo, { exp, epoch, by }: AssetTokenContent): string {
  const content = Buffer.alloc(MAC_AT)
  content.writeUInt8(VERSION)
  content.writeUInt32BE(exp, EXPIRY_AT)
  content.writeUInt32BE(epoch, EPOCH_AT)
  const creator = Buffer.from(by.replaceAll('-', ''), 'hex')
  if (creator.length !== MAC_AT - CREATOR_AT) throw new Error('The id of an API token must be a UUID')
  creator.copy(content, CREATOR_AT)
  return Buffer.concat([content, macOf(key, video, content)]).toString('base64url')
}

/** Returns the content of a token that was written with this key for this video; otherwise undefined. */
export function readAssetToken(key: KeyObject, video: TokenVideo, token: string): AssetTokenContent | undefined {
  if (!isAssetToken(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const content = bytes.subarray(0, MAC_AT)
  if (!timingSafeEqual(macOf(key, video, content), bytes.subarray(MAC_AT))) return undefined
  if (content.readUInt8() !== VERSION) return undefined
  return {
    exp: content.readUInt32BE(EXPIRY_AT),
    epoch: content.readUInt32BE(EPOCH_AT),
    by: uuidOf(content.subarray(CREATOR_AT)),
  }
}

/** The content has a fixed length and no name contains a slash, so different inputs never have the same bytes. */
function macOf(key: KeyObject, { organizationId, assetId, file }: TokenVideo, content: Buffer): Buffer {
  const names = file === undefined ? [organizationId, assetId] : [organizationId, assetId, file]
  const mac = createHmac('sha256', key).update(content).update(names.join('/')).digest()
  return mac.subarray(0, MAC_BYTES)
}

const uuidOf = (bytes: Buffer) =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') as TokenId
