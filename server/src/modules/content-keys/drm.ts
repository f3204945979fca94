/**
 * Keys of videos under common encryption. The provider and the data for manifests are stored when the first segment is
 * encoded. The keys are not stored: they are requested from the provider each time, which must return the same keys.
 */
import { createHash } from 'node:crypto'
import { clearKeyProtection, type TrackProtection } from '@reelkeep/media'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { Asset } from '../assets/assets.ts'
import { findDrm, insertDrm, type StoredDrm } from './drm.store.ts'
import type { DrmKey, DrmKeys, DrmLabel } from './drm-keys.ts'
import { clearKey } from './providers/clear-key.ts'
import { type KeyProvider, KeyProviderFailed, type ProvidedKeys, type ProviderName } from './providers/key-provider.ts'

type OfAsset = Pick<Asset, 'id'>

/** DRM configuration. */
export type Drm = {
  /** Key provider of new videos. Undefined if DRM is not configured. */
  readonly provider: KeyProvider | undefined
  readonly scheme: DrmKeys['scheme']
}

/** Keys to encrypt or decrypt segments. `derived` are the keys derived from the master key. */
export async function provideKeys(
  drm: Drm,
  db: OrganizationDb,
  { id }: OfAsset,
  derived: readonly DrmKey[],
  signal: AbortSignal,
): Promise<DrmKeys> {
  const before = await findDrm(db, id)
  const scheme = before?.scheme ?? drm.scheme
  const provider = providerFor(drm, before?.provider)
  const provided = await provider.keysFor({ contentId: id, scheme, derived }, signal)
  const stored = before ?? (await storeDrm(db, id, provider.name, provided))
  if (stored.provider !== provider.name || stored.fingerprint !== fingerprintOf(provided)) {
    const message = `The key provider returned other keys for video ${id} than before`
    throw new KeyProviderFailed('other-keys', message)
  }
  // Use the stored boxes: a provider may return different ones, but the init segment must not change.
  const pssh = stored.pssh.map((box) => Buffer.from(box, 'base64'))
  return { scheme: stored.scheme, keys: provided.keys, pssh }
}

/** A video keeps its first provider. ClearKey is always available. */
function providerFor({ provider }: Drm, name: ProviderName | undefined): KeyProvider {
  if (name === 'clearkey') return clearKey
  if (provider && (name === undefined || provider.name === name)) return provider
  const required = name ?? 'clearkey or speke'
  throw new KeyProviderFailed('missing', `The key provider is not configured: DRM_PROVIDER must be ${required}`)
}

/** Stores the DRM data. If calls are concurrent, the data of the first one is kept and returned. */
async function storeDrm(
  db: OrganizationDb,
  assetId: Asset['id'],
  provider: ProviderName,
  provided: ProvidedKeys,
): Promise<StoredDrm> {
  await insertDrm(db, assetId, {
    ...{ provider, scheme: provided.scheme, signalling: provided.signalling },
    pssh: provided.pssh.map((box) => box.toString('base64')),
    fingerprint: fingerprintOf(provided),
  })
  const stored = await findDrm(db, assetId)
  if (!stored) throw new Error(`The DRM data of ${assetId} is missing after its insert`)
  return stored
}

/** Hash of the keys, which detects changed keys. The keys are random, so the hash does not reveal them. */
const fingerprintOf = ({ keys }: ProvidedKeys) =>
  createHash('sha256')
    .update(Buffer.concat(keys.flatMap(({ kid, key, iv }) => [kid, iv, key])))
    .digest('hex')

/** Path of a key file, relative to the manifests. */
export const keyName = (kid: Buffer) => `keys/${kid.toString('hex')}.bin`

/** Protection data of a track for the manifests. */
export function protectionFor(stored: StoredDrm, derived: readonly DrmKey[], label: DrmLabel): TrackProtection {
  const key = derived.find((candidate) => candidate.label === label)
  if (!key) throw new Error(`No key for ${label}`)
  const { scheme } = stored
  if (stored.provider === 'clearkey') {
    const kids = derived.map(({ kid }) => kid)
    return clearKeyProtection({ scheme, kid: key.kid, kids, keyUri: keyName(key.kid) })
  }
  const signalling = stored.signalling.find((candidate) => candidate.label === label)
  const { hlsKeys = [], hlsSessionKeys = [], dash = [] } = signalling ?? {}
  return { scheme, kid: key.kid.toString('hex'), hlsKeys, hlsSessionKeys, dash }
}
