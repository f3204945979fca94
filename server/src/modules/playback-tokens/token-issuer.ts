/**
 * Playback tokens signed by this installation. The keys are derived from one secret, so all instances have the same
 * keys and none are stored. The previous secret still verifies, so it can be rotated without a gap.
 */
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { Claims } from './playback-tokens.rules.ts'

export type PlaybackSecrets = {
  readonly secret: string
  readonly previousSecret: string | undefined
}

type ServiceKey = {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const HOUR_SECONDS = 3600
/**
 * A playback URL in an API response lasts this long and up to an hour more: it ends at a full hour, so that it
 * stays the same until then.
 */
const ASSET_TOKEN_SECONDS_MIN = 6 * HOUR_SECONDS
const ASSET_TOKEN_SECONDS_MAX = ASSET_TOKEN_SECONDS_MIN + HOUR_SECONDS

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
    const text = [{ alg: 'EdDSA', kid }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
  }

  /** The token in API responses about an asset. All instances return the same one within an hour. */
  forAsset(iss: OrganizationId, sub: AssetId, now: Date): string {
    const nowSeconds = now.getTime() / 1000
    const exp = Math.ceil((nowSeconds + ASSET_TOKEN_SECONDS_MIN) / HOUR_SECONDS) * HOUR_SECONDS
    const name = `${iss}/${sub}/${exp}`
    const cached = this.#cached.get(name)
    if (cached !== undefined) return cached
    const token = this.sign({ iss, sub, iat: exp - ASSET_TOKEN_SECONDS_MAX, exp, jti: 'asset' })
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
