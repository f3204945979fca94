/**
 * Playback tokens signed by this installation. The keys are derived from one secret, so all instances have the same
 * keys and none are stored. The previous secret still verifies, so it can be rotated without a gap.
 */
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { AssetId } from '../../kernel/ids.ts'
import { type AssetReader, assetTokenClaims, type Claims, TOKEN_TYPE } from './playback-tokens.rules.ts'

export type PlaybackSecrets = {
  readonly secret: string
  readonly previousSecret: string | undefined
}

type ServiceKey = {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** Maximum number of cached tokens, of a few hundred bytes each. A list response needs up to a hundred. */
const CACHED_MAX = 10_000

export const SERVICE_KID_PREFIX = 'service-'

export class TokenIssuer {
  readonly #current: ServiceKey
  readonly #publicKeys: ReadonlyMap<string, KeyObject>
  readonly #cached = new LRUCache<string, string>({ max: CACHED_MAX })

  constructor({ secret, previousSecret }: PlaybackSecrets) {
    this.#current = serviceKey(secret)
    const previous = previousSecret === undefined ? [] : [serviceKey(previousSecret)]
    const all = [this.#current, ...previous]
    this.#publicKeys = new Map(all.map(({ kid, publicKey }) => [kid, publicKey]))
  }

  publicKey(kid: string): KeyObject | undefined {
    return this.#publicKeys.get(kid)
  }

  /**
   * Synchronous, because responses are serialized synchronously. Ed25519 is deterministic: equal claims give equal
   * tokens.
   */
  sign(claims: Claims): string {
    const { kid, privateKey } = this.#current
    const text = [{ typ: TOKEN_TYPE, alg: 'EdDSA', kid }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
  }

  /** The token in API responses about an asset. All instances return the same one to an API token within an hour. */
  forAsset(reader: AssetReader, sub: AssetId, now: Date): string {
    const claims = assetTokenClaims(reader, sub, now)
    const name = `${claims.iss}/${claims.sub}/${claims.by}/${claims.epoch}/${claims.exp}`
    const cached = this.#cached.get(name)
    if (cached !== undefined) return cached
    const token = this.sign(claims)
    this.#cached.set(name, token)
    return token
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
  }
}

/** PKCS #8 prefix of the 32 bytes of an Ed25519 private key (RFC 8410, section 7). */
const PKCS8_OF_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
