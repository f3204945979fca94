/** Delivers the keys of videos under Common Encryption from our own license server. Key providers have their own. */
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { clearKeys, type DrmKey } from '../../content-keys/content-keys.ts'
import type { Viewer } from '../../playback-tokens/playback-tokens.ts'
import { nothingToPlay } from '../playback.rules.ts'
import { findKeyState, selectMediaIds } from '../playback.store.ts'
import { type License, licenseFor, requestedKids } from './license.rules.ts'
import { assertMayPlay } from './protected-viewing.rules.ts'

export async function grantLicense(ring: KeyRing, db: OrganizationDb, viewer: Viewer, body: Buffer): Promise<License> {
  const kids = requestedKids(body)
  const license = licenseFor(await keysFor(ring, db, viewer), kids)
  if (license.keys.length === 0) throw nothingToPlay()
  return license
}

/** Reads a 16-byte key by its id in hexadecimal. */
export async function readContentKey(ring: KeyRing, db: OrganizationDb, viewer: Viewer, kid: string): Promise<Buffer> {
  const keys = await keysFor(ring, db, viewer)
  const found = keys.find((key) => key.kid.toString('hex') === kid)
  if (!found) throw nothingToPlay()
  return found.key
}

/** The keys of all versions that have been shown: a viewer may still watch an earlier one. */
async function keysFor(ring: KeyRing, db: OrganizationDb, viewer: Viewer): Promise<readonly DrmKey[]> {
  const { assetId } = viewer
  const state = await findKeyState(db, { assetId, mediaId: null })
  if (!state) throw nothingToPlay()
  assertMayPlay(state, viewer)
  if (state.contentProtection !== 'drm') return []
  const keys = await Promise.all((await selectMediaIds(db, assetId)).map((id) => clearKeys(ring, db, { id })))
  return keys.flat()
}
