import { randomBytes, randomUUID } from 'node:crypto'

declare const brand: unique symbol
type Id<Of extends string> = string & { readonly [brand]: Of }

export type OrganizationId = Id<'organization'>
export type FolderUuid = Id<'folder'>
/** Id of a token or a member. */
export type PrincipalId = Id<'principal'>
export type TokenId = PrincipalId
export type AssetId = Id<'asset'>
export type EventId = Id<'event'>
export type RoleId = Id<'role'>
export type InvitationId = Id<'invitation'>
export type WebhookId = Id<'webhook'>
export type AccessTokenId = Id<'access token'>
export type SigningKeyId = Id<'signing key'>
export type SubtitleId = Id<'subtitle track'>
export type BulkOperationId = Id<'bulk operation'>
export type UploadSessionUuid = Id<'upload session'>

const base36 = '0123456789abcdefghijklmnopqrstuvwxyz'
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const organizationIdForm = /^[a-z0-9]{6,12}$/

export function isOrganizationId(text: string): text is OrganizationId {
  return organizationIdForm.test(text)
}

export const newOrganizationId = () => randomText(base36, 8) as OrganizationId

/** Returns 64 random bits in 11 characters. */
export const newFolderUuid = () => randomText(base58, 11) as FolderUuid

export const newRoleId = () => uuidVersion7(Date.now()) as RoleId
export const newInvitationId = () => uuidVersion7(Date.now()) as InvitationId
export const newTokenId = () => uuidVersion7(Date.now()) as TokenId
export const newAssetId = () => uuidVersion7(Date.now()) as AssetId
export const newAccessTokenId = () => uuidVersion7(Date.now()) as AccessTokenId
export const newSigningKeyId = () => uuidVersion7(Date.now()) as SigningKeyId
export const newSubtitleId = () => uuidVersion7(Date.now()) as SubtitleId
export const newEventId = () => randomUUID() as EventId
export const newWebhookId = () => uuidVersion7(Date.now()) as WebhookId
export const newSessionId = () => uuidVersion7(Date.now())
export const newAccountId = () => uuidVersion7(Date.now())
export const newPasskeyId = () => uuidVersion7(Date.now())
export const newBulkOperationId = () => uuidVersion7(Date.now()) as BulkOperationId
export const newUploadSessionUuid = () => uuidVersion7(Date.now()) as UploadSessionUuid

/** Returns 190 random bits in 32 characters. */
export const newTokenSecret = () => randomText(base62, 32)

/** Formats a number in base 62 with leading zeros, for checksums. */
export function toBase62(value: number, length: number): string {
  let remainder = value
  let text = ''
  for (let digit = 0; digit < length; digit++) {
    text = base62.charAt(remainder % 62) + text
    remainder = Math.floor(remainder / 62)
  }
  return text
}

function randomText(alphabet: string, length: number): string {
  let text = ''
  while (text.length < length) text += randomLetters(alphabet, length - text.length)
  return text
}

/** Drops bytes at or above the largest multiple of the alphabet's size, so that all letters are equally likely. */
function randomLetters(alphabet: string, atMost: number): string {
  const bytesUsed = 256 - (256 % alphabet.length)
  let letters = ''
  for (const byte of takeRandomBytes(atMost)) {
    if (byte < bytesUsed) letters += alphabet.charAt(byte % alphabet.length)
  }
  return letters
}

const RANDOM_BYTES = 4096
let randomPool = Buffer.alloc(0)

/** Random bytes, read from the system many at a time: a read for each id costs as much as the rest of it. */
function takeRandomBytes(count: number): Uint8Array {
  if (randomPool.length < count) randomPool = randomBytes(RANDOM_BYTES)
  const taken = randomPool.subarray(0, count)
  randomPool = randomPool.subarray(count)
  return taken
}

/** RFC 9562: 48 bits of milliseconds, then random bits. Later ids sort later. */
function uuidVersion7(milliseconds: number): string {
  const time = milliseconds.toString(16).padStart(12, '0')
  const random = randomUUID()
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}
