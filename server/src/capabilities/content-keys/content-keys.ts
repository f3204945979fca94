/**
 * The keys of protected videos. None of them is stored: they are derived from the organization's
 * master key, which is, wrapped with a key of the operator's. A video keeps the generation of the
 * master key that was the newest when its first segment was made.
 */
import type { KeyObject } from 'node:crypto'
import type { TrackProtection } from '@reelkeep/media'
import { refused } from '../../kernel/errors.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type Rewrapped, rewrapEach } from '../../platform/secrets/rewrapping.ts'
import { KeyUnavailable } from '../../platform/secrets/wrapping.ts'
import type { Asset } from '../assets/assets.ts'
import { type AesKeys, deriveAesKeys, SEGMENTS_IN_A_PERIOD } from './aes-keys.ts'
import { openSegment, type SegmentPlace, sealSegment } from './aes-segments.ts'
import * as store from './content-keys.store.ts'
import { type Derive, deriveFrom } from './derivation.ts'
import { findDrm } from './drm.store.ts'
import { type Drm, keyName, protectionFor, provideKeys } from './drm.ts'
import { type DrmKey, type DrmKeys, type DrmLabel, deriveDrmKeys } from './drm-keys.ts'
import { clearKey } from './providers/clear-key.ts'
import { type KeyProvider, KeyProviderFailed } from './providers/key-provider.ts'
import { speke } from './providers/speke/speke.ts'
import { newMasterKey, unwrap, wrap } from './wrapping.ts'

export type { AesKeys, Drm, DrmKey, DrmKeys, DrmLabel, KeyProvider, SegmentPlace }
export {
  clearKey,
  KeyProviderFailed,
  KeyUnavailable,
  keyName,
  openSegment,
  SEGMENTS_IN_A_PERIOD,
  sealSegment,
  speke,
}

type OfAsset = Pick<Asset, 'id'>

/** Keys of a video that is protected with AES-128. Whoever encodes has protected it before. */
export const aesKeys = async (
  ring: KeyRing,
  db: OrganizationDb,
  asset: OfAsset,
): Promise<AesKeys> => deriveAesKeys(await derivationOf(ring, db, asset))

/** Keys of a video that is protected with common encryption; ours, without anybody's DRM. */
export const drmKeys = async (
  ring: KeyRing,
  db: OrganizationDb,
  asset: OfAsset,
): Promise<DrmKeys> => deriveDrmKeys(await derivationOf(ring, db, asset))

/**
 * What a video under common encryption is encrypted with, or opened again by us. Whoever asks first
 * settles where its keys come from.
 */
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

/** What manifests say of a video under common encryption. Undefined before its first segment is made. */
export async function findProtections(
  ring: KeyRing,
  db: OrganizationDb,
  asset: OfAsset,
): Promise<Record<DrmLabel, TrackProtection> | undefined> {
  const noted = await findDrm(db, asset.id)
  if (!noted) return undefined
  const { keys } = await drmKeys(ring, db, asset)
  return {
    video: protectionFor(noted, keys, 'video'),
    audio: protectionFor(noted, keys, 'audio'),
  }
}

/**
 * Where players get licences of a video, by the names of key systems: ours beside its manifests, or
 * where the operator's provider has them.
 */
export async function findLicenceServers(
  contracted: Readonly<Record<string, string>>,
  db: OrganizationDb,
  asset: OfAsset,
): Promise<Readonly<Record<string, string>>> {
  const noted = await findDrm(db, asset.id)
  if (!noted) return {}
  return noted.provider === 'clearkey' ? { 'org.w3.clearkey': 'licence' } : contracted
}

/** Keys that we give licences for ourselves. None of what a provider gives them for. */
export async function clearKeys(
  ring: KeyRing,
  db: OrganizationDb,
  asset: OfAsset,
): Promise<readonly DrmKey[]> {
  const noted = await findDrm(db, asset.id)
  return noted?.provider === 'clearkey' ? (await drmKeys(ring, db, asset)).keys : []
}

/**
 * Settles once and for all which master key a video is protected with, and makes the first one of
 * an organization. For whoever is about to write its first segment; of several at once one decides
 * for all.
 */
export async function protectAsset(
  ring: KeyRing,
  db: OrganizationDb,
  { id }: OfAsset,
): Promise<void> {
  if (await store.findKeyOf(db, id)) return
  const { generation } = await newestKey(ring, db)
  await store.insertProtection(db, id, generation)
}

async function derivationOf(ring: KeyRing, db: OrganizationDb, { id }: OfAsset): Promise<Derive> {
  const found = await store.findKeyOf(db, id)
  if (!found) throw new Error(`Asset ${id} is not protected yet`)
  return deriveFrom(opened(ring, db, found), id)
}

const opened = (ring: KeyRing, { organizationId }: OrganizationDb, row: store.MasterKeyRow) =>
  unwrap(ring, { organizationId, generation: row.generation }, row)

/** One that cannot be opened is never replaced by a new one: that is for the operator to decide. */
async function newestKey(ring: KeyRing, db: OrganizationDb): Promise<store.MasterKeyRow> {
  const found = await store.findNewestKey(db)
  if (!found) await store.insertKey(db, wrappedAnew(ring, db, 1))
  const newest = found ?? (await store.findNewestKey(db))
  if (!newest) throw new Error('A master key was made, and is not there')
  opened(ring, db, newest)
  return newest
}

function wrappedAnew(
  ring: KeyRing,
  { organizationId }: OrganizationDb,
  generation: number,
  master: KeyObject = newMasterKey(),
): store.MasterKeyRow {
  return { generation, ...wrap(ring, { organizationId, generation }, master) }
}

/**
 * Videos that are made from now on have keys of the new one. Needs a database opened as the owner.
 * Answers its generation.
 */
export async function rotateMasterKey(ring: KeyRing, db: OrganizationDb): Promise<number> {
  const newest = await store.findNewestKey(db)
  // With a ring that does not open this one, workers would not open the next one either.
  if (newest) opened(ring, db, newest)
  const next = wrappedAnew(ring, db, (newest?.generation ?? 0) + 1)
  if (await store.insertKey(db, next)) return next.generation
  throw refused('invalid_request', 'Another master key has just been made. Look before you repeat.')
}

/**
 * Has every master key of every organization that is not held under the first key of the ring, so
 * that the others can go. Answers how many were not.
 */
export function rewrapMasterKeys(ring: KeyRing, database: Database): Promise<Rewrapped> {
  const [{ id: current }] = ring
  return rewrapEach(
    (after, limit) => store.selectKeysUnderOthers(database, current, { after, limit }),
    async (row: store.PlacedKeyRow) => {
      const db = database.forOrganization(row.organizationId)
      const again = wrappedAnew(ring, db, row.generation, opened(ring, db, row))
      await store.updateKey(db, again, row.wrapped)
    },
  )
}
