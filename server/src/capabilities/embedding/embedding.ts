import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type Asset, findAsset, storagePrefix } from '../assets/assets.ts'
import {
  cleanOrigins,
  OPEN,
  type Origins,
  playFolder,
  type ShownVideo,
  type Viewing,
} from './embedding.rules.ts'
import { selectOrigins, updateOrigins } from './embedding.store.ts'
import { type PlayerFiles, readPlayerFiles } from './player-files.ts'

export type { Viewing }
export { readPlayerFiles }

/** Whether a viewer may see a video, by what came with the address. Whoever decides that is handed in. */
export type Admits = (viewing: Viewing) => Promise<boolean>

export type Embedding = Origins & {
  readonly database: Database
  readonly player: PlayerFiles
  readonly admits: Admits
}

/** Hidden: this viewer may be told nothing of it, not even whether it is there. */
export type Sight =
  | { readonly kind: 'hidden' | 'missing' }
  | { readonly kind: 'shown'; readonly video: ShownVideo }

export async function lookAt(
  db: OrganizationDb,
  viewing: Viewing,
  { admits, playbackUrl }: Pick<Embedding, 'admits' | 'playbackUrl'>,
): Promise<Sight> {
  if (!(await admits(viewing))) return { kind: 'hidden' }
  const asset = await findAsset(db, viewing.assetId)
  if (!asset) return { kind: 'missing' }
  // Open is only what is not protected, whatever its organization says of the rest.
  if (viewing.pass === OPEN && asset.contentProtection !== 'disable') return { kind: 'hidden' }
  return { kind: 'shown', video: toShown(asset, playFolder(playbackUrl, viewing)) }
}

/** Of the shape most videos have, until it is known. */
const USUAL = { width: 1280, height: 720 }

const toShown = (asset: Asset, folder: string): ShownVideo => ({
  title: asset.title,
  posterUrl:
    asset.coverKey &&
    folder + asset.coverKey.slice(storagePrefix(asset.organizationId, asset.id).length),
  width: asset.width ?? USUAL.width,
  height: asset.height ?? USUAL.height,
  durationSeconds: asset.durationSeconds,
})

/** Whose pages may hold the player in a frame; none: everybody's. */
export const readEmbedOrigins = (db: OrganizationDb): Promise<readonly string[]> =>
  selectOrigins(db)

/** For the administrator's command line: needs a database opened as the owner. */
export async function setEmbedOrigins(
  db: OrganizationDb,
  given: readonly string[],
): Promise<readonly string[]> {
  const origins = cleanOrigins(given)
  await updateOrigins(db, origins)
  return origins
}
