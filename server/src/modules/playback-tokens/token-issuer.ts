/**
 * Playback tokens signed by this installation. The keys are derived from one secret, so all instances have the same
 * keys and none are stored. The previous secret still verifies, so it can be rotated without a gap.
 */
import { createPrivateKey, createPublicKey, createSecretKey, hkdfSync, type KeyObject, sign } from 'node:crypto'
import type { AssetId } from '../../kernel/ids.ts'
import { readAssetToken, type TokenVideo, writeAssetToken } from './asset-token.ts'
import {
  ASSET_TOKEN_JTI,
  ASSET_TOKEN_SECONDS_MAX,
  type AssetReader,
  assetTokenExpiry,
  type Claims,
  TOKEN_TYPE,
} from './playback-tokens.rules.ts'

export type PlaybackSecrets = {
  readonly secret: string
  readonly previousSecret: string | undefined
}

type ServiceKey = {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** Keys of the MACs in asset tokens and in download links. */
  readonly assetTokenKey: KeyObject
  readonly downloadKey: KeyObject
}

/** A valid token and the id of the key with which it was written. */
export type ReadToken = { readonly claims: Claims; readonly kid: string }

export const SERVICE_KID_PREFIX = 'service-'

export class TokenIssuer {
  readonly #current: ServiceKey
  readonly #accepted: readonly ServiceKey[]
  readonly #publicKeys: ReadonlyMap<string, KeyObject>

  constructor({ secret, previousSecret }: PlaybackSecrets) {
    this.#current = serviceKey(secret)
    const previous = previousSecret === undefined ? [] : [serviceKey(previousSecret)]
    this.#accepted = [this.#current, ...previous]
    this.#publicKeys = new Map(this.#accepted.map(({ kid, publicKey }) => [kid, publicKey]))
  }

  publicKey(kid: string): KeyObject | undefined {
    return this.#publicKeys.get(kid)
  }

  /** A token as a JWT. Ed25519 is deterministic: equal claims give equal tokens. */
  sign(claims: Claims): string {
    const { kid, privateKey } = this.#current
    const text = [{ typ: TOKEN_TYPE, alg: 'EdDSA', kid }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
  }

  /**
   * The token in API responses about an asset. All instances return the same one to an API token within an hour.
   * Synchronous, because responses are serialized synchronously.
   */
  forAsset(reader: AssetReader, assetId: AssetId, now: Date): string {
    const { organizationId, id: by, playbackEpoch: epoch } = reader
    const content = { exp: assetTokenExpiry(reader, now), epoch, by }
    return writeAssetToken(this.#current.assetTokenKey, { organizationId, assetId }, content)
  }

  /** Returns the claims of an asset token for this video and the id of its key; undefined if it is not valid for it. */
  readAssetToken(token: string, video: TokenVideo): ReadToken | undefined {
    return this.#read(token, video, ({ assetTokenKey }) => assetTokenKey)
  }

  /** The token in the link to one file of an asset. It permits nothing else. */
  forDownload({ id: by, playbackEpoch: epoch }: AssetReader, file: Required<TokenVideo>, exp: number): string {
    return writeAssetToken(this.#current.downloadKey, file, { exp, epoch, by })
  }

  /** Like `readAssetToken`, for the token of a link to this file. */
  readDownloadToken(token: string, file: Required<TokenVideo>): ReadToken | undefined {
    return this.#read(token, file, ({ downloadKey }) => downloadKey)
  }

  #read(token: string, video: TokenVideo, keyOf: (key: ServiceKey) => KeyObject): ReadToken | undefined {
    const { organizationId: iss, assetId: sub } = video
    for (const key of this.#accepted) {
      const content = readAssetToken(keyOf(key), video, token)
      if (!content) continue
      const iat = content.exp - ASSET_TOKEN_SECONDS_MAX
      return { claims: { iss, sub, iat, jti: ASSET_TOKEN_JTI, ...content }, kid: key.kid }
    }
    return undefined
  }
}

const KEY_BYTES = 32
const KID_BYTES = 6

function serviceKey(secret: string): ServiceKey {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `reelkeep/playback/${purpose}`, bytes))
  const key = Buffer.concat([PKCS8_OF_ED25519, derive('ed25519', KEY_BYTES)])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  return {
    kid: SERVICE_KID_PREFIX + derive('kid', KID_BYTES).toString('hex'),
    privateKey,
    publicKey: createPublicKey(privateKey),
    assetTokenKey: createSecretKey(derive('asset-token', KEY_BYTES)),
    downloadKey: createSecretKey(derive('download', KEY_BYTES)),
  }
}

/** PKCS #8 prefix of the 32 bytes of an Ed25519 private key (RFC 8410, section 7). */
const PKCS8_OF_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
