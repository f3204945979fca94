/**
 * Keys of protected videos. They are not stored but derived from the organization's master key, which
 * is stored wrapped with a key of the operator. A video keeps the master key generation that was
 * current when its first segment was encoded.
 */
import type { KeyObject } from 'node:crypto'
import type { TrackProtection } from '@reelkeep/media'
import { refused } from '../../kernel/errors.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import { type Rewrapped, rewrapEach } from '../../platform/crypto/rewrap.ts'
import { KeyUnavailable } from '../../platform/crypto/wrapping.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { Asset } from '../assets/assets.ts'
import { type AesKeys, deriveAesKeys, SEGMENTS_PER_KEY_PERIOD } from './aes-keys.ts'
import { openSegment, type SegmentLocation, sealSegment } from './aes-segments.ts'
import * as store from './content-keys.store.ts'
import { type Derive, deriveFrom } from './derivation.ts'
import { findDrm } from './drm.store.ts'
import { type Drm, keyName, protectionFor, provideKeys } from './drm.ts'
import { type DrmKey, type DrmKeys, type DrmLabel, deriveDrmKeys } from './drm-keys.ts'
import { clearKey } from './providers/clear-key.ts'
import { type KeyProvider, KeyProviderFailed } from './providers/key-provider.ts'
import { speke } from './providers/speke/speke.ts'
import { newMasterKey, unwrap, wrap } from './wrapping.ts'

export type { AesKeys, Drm, DrmKey, DrmKeys, DrmLabel, KeyProvider, SegmentLocation }
export {
  clearKey,
  KeyProviderFailed,
  KeyUnavailable,
  keyName,
  openSegment,
  SEGMENTS_PER_KEY_PERIOD,
  sealSegment,
  speke,
}

type OfAsset = Pick<Asset, 'id'>

/** Keys of a video protected with AES-128. The pipeline has called `protectAsset` before. */
export const aesKeys = async (ring: KeyRing, db: OrganizationDb, asset: OfAsset): Promise<AesKeys> =>
  deriveAesKeys(await derivationOf(ring, db, asset))

/** Keys of a video protected with common encryption, derived from our master key. */
export const drmKeys = async (ring: KeyRing, db: OrganizationDb, asset: OfAsset): Promise<DrmKeys> =>
  deriveDrmKeys(await derivationOf(ring, db, asset))

/** Keys to encrypt or decrypt a video under common encryption. The first call decides the key provider. */
export async function encryptionKeys(
  { keyRing, drm }: { readonly keyRing: KeyRing; readonly drm: Drm },
  db: OrganizationDb,
  asset: OfAsset,
  signal: AbortSignal,
): Promise<DrmKeys> {
  await protectAsset(keyRing, db, asset)
  const { keys } = await drmKeys(keyRing, db, asset)
  return provideKeys(drm, db, asset, keys, signal)
}

/** Protection data for the manifests; undefined before the first segment is encoded. */
export async function findProtections(
  ring: KeyRing,
  db: OrganizationDb,
  asset: OfAsset,
): Promise<Record<DrmLabel, TrackProtection> | undefined> {
  const stored = await findDrm(db, asset.id)
  if (!stored) return undefined
  const { keys } = await drmKeys(ring, db, asset)
  return {
    video: protectionFor(stored, keys, 'video'),
    audio: protectionFor(stored, keys, 'audio'),
  }
}

/** License URLs by key system: our own next to the manifests, or those of the operator's provider. */
export async function findLicenseServers(
  contracted: Readonly<Record<string, string>>,
  db: OrganizationDb,
  asset: OfAsset,
): Promise<Readonly<Record<string, string>>> {
  const stored = await findDrm(db, asset.id)
  if (!stored) return {}
  return stored.provider === 'clearkey' ? { 'org.w3.clearkey': 'license' } : contracted
}

/** Keys for which this service issues licenses; empty if a provider issues them. */
export async function clearKeys(ring: KeyRing, db: OrganizationDb, asset: OfAsset): Promise<readonly DrmKey[]> {
  const stored = await findDrm(db, asset.id)
  return stored?.provider === 'clearkey' ? (await drmKeys(ring, db, asset)).keys : []
}

/**
 * Assigns the current master key to a video permanently, and creates the organization's first one if
 * needed. Called before the first segment is written; of concurrent calls, the first one decides.
 */
export async function protectAsset(ring: KeyRing, db: OrganizationDb, { id }: OfAsset): Promise<void> {
  if (await store.findKeyOf(db, id)) return
  const { generation } = await newestKey(ring, db)
  await store.insertProtection(db, id, generation)
}

async function derivationOf(ring: KeyRing, db: OrganizationDb, { id }: OfAsset): Promise<Derive> {
  const found = await store.findKeyOf(db, id)
  if (!found) throw new Error(`Asset ${id} is not protected yet`)
  return deriveFrom(unwrapped(ring, db, found), id)
}

const unwrapped = (ring: KeyRing, { organizationId }: OrganizationDb, row: store.MasterKeyRow) =>
  unwrap(ring, { organizationId, generation: row.generation }, row)

/** Throws if the key cannot be unwrapped: only the operator may replace it. */
async function newestKey(ring: KeyRing, db: OrganizationDb): Promise<store.MasterKeyRow> {
  const found = await store.findNewestKey(db)
  if (!found) await store.insertKey(db, wrapKey(ring, db, 1))
  const newest = found ?? (await store.findNewestKey(db))
  if (!newest) throw new Error('The new master key is missing')
  unwrapped(ring, db, newest)
  return newest
}

function wrapKey(
  ring: KeyRing,
  { organizationId }: OrganizationDb,
  generation: number,
  master: KeyObject = newMasterKey(),
): store.MasterKeyRow {
  return { generation, ...wrap(ring, { organizationId, generation }, master) }
}

/**
 * Creates a new master key, which all videos encoded from now on use, and returns its generation.
 * Requires a connection of the owner role.
 */
export async function rotateMasterKey(ring: KeyRing, db: OrganizationDb): Promise<number> {
  const newest = await store.findNewestKey(db)
  // Throws if this key ring cannot unwrap the current key: the workers may have another ring, which could not unwrap
  // the new key.
  if (newest) unwrapped(ring, db, newest)
  const next = wrapKey(ring, db, (newest?.generation ?? 0) + 1)
  if (await store.insertKey(db, next)) return next.generation
  throw refused(
    'invalid_request',
    'Another command created a master key at the same time. Repeat this command only if you need one more key.',
  )
}

/**
 * Wraps all master keys with the first key of the ring, so that the others can be removed. Skips suspended
 * organizations. Returns the number of rewrapped keys and the skipped organizations.
 */
export function rewrapMasterKeys(ring: KeyRing, database: Database): Promise<Rewrapped> {
  const [{ id: current }] = ring
  return rewrapEach(
    (after, limit) => store.selectKeysWrappedByOthers(database, current, { after, limit }),
    async (row: store.OrganizationKeyRow) => {
      const db = database.forOrganization(row.organizationId)
      const again = wrapKey(ring, db, row.generation, unwrapped(ring, db, row))
      await store.updateKey(db, again, row.wrapped)
    },
  )
}
