/**
 * Keys of videos under common encryption. Which provider they come from is settled when the first
 * segment is made, and noted with what manifests have to say; the keys themselves are not. They are
 * had again whenever they are needed, and must then be the same.
 */
import { createHash } from 'node:crypto'
import { clearKeyProtection, type TrackProtection } from '@reelkeep/media'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { Asset } from '../assets/assets.ts'
import { findDrm, insertDrm, type NotedDrm } from './drm.store.ts'
import type { DrmKey, DrmKeys, DrmLabel } from './drm-keys.ts'
import { clearKey } from './providers/clear-key.ts'
import {
  type KeyProvider,
  KeyProviderFailed,
  type ProvidedKeys,
  type ProviderName,
} from './providers/key-provider.ts'

type OfAsset = Pick<Asset, 'id'>

/** What the operator has set up. */
export type Drm = {
  /** For new videos. Undefined: none are made. */
  readonly provider: KeyProvider | undefined
  readonly scheme: DrmKeys['scheme']
}

/** Keys to encrypt or open segments with. `derived` are those of the organization's master key. */
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
  const noted = before ?? (await note(db, id, provider.name, provided))
  if (noted.provider !== provider.name || noted.fingerprint !== fingerprintOf(provided)) {
    const told = `The key provider has other keys than those that video ${id} was begun with`
    throw new KeyProviderFailed('other-keys', told)
  }
  // As it was noted: a box may be another each time, and the header of a track must not.
  const pssh = noted.pssh.map((box) => Buffer.from(box, 'base64'))
  return { scheme: noted.scheme, keys: provided.keys, pssh }
}

/** A video stays with the one that it was begun with. ClearKey is always there. */
function providerFor({ provider }: Drm, name: ProviderName | undefined): KeyProvider {
  if (name === 'clearkey') return clearKey
  if (provider && (name === undefined || provider.name === name)) return provider
  const wanted = name ?? 'clearkey or speke'
  throw new KeyProviderFailed(
    'missing',
    `No key provider is set up: DRM_PROVIDER must be ${wanted}`,
  )
}

/** Of several who are first at once, one decides for all. */
async function note(
  db: OrganizationDb,
  assetId: Asset['id'],
  provider: ProviderName,
  provided: ProvidedKeys,
): Promise<NotedDrm> {
  await insertDrm(db, assetId, {
    ...{ provider, scheme: provided.scheme, signalling: provided.signalling },
    pssh: provided.pssh.map((box) => box.toString('base64')),
    fingerprint: fingerprintOf(provided),
  })
  const noted = await findDrm(db, assetId)
  if (!noted) throw new Error(`The keys of ${assetId} were noted, and are not`)
  return noted
}

/** By which keys are known again. They are random, so nobody finds them from it. */
const fingerprintOf = ({ keys }: ProvidedKeys) =>
  createHash('sha256')
    .update(Buffer.concat(keys.flatMap(({ kid, key, iv }) => [kid, iv, key])))
    .digest('hex')

/** Under which name a key is given out, beside the manifests. */
export const keyName = (kid: Buffer) => `keys/${kid.toString('hex')}.bin`

/** What manifests say of a track. */
export function protectionFor(
  noted: NotedDrm,
  derived: readonly DrmKey[],
  label: DrmLabel,
): TrackProtection {
  const key = derived.find((one) => one.label === label)
  if (!key) throw new Error(`There is no key for ${label}`)
  const { scheme } = noted
  if (noted.provider === 'clearkey') {
    const kids = derived.map(({ kid }) => kid)
    return clearKeyProtection({ scheme, kid: key.kid, kids, keyUri: keyName(key.kid) })
  }
  const told = noted.signalling.find((one) => one.label === label)
  const { hlsKeys = [], hlsSessionKeys = [], dash = [] } = told ?? {}
  return { scheme, kid: key.kid.toString('hex'), hlsKeys, hlsSessionKeys, dash }
}
