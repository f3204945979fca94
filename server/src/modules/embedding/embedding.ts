import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { PublicRequests } from '../../platform/http/access/public-requests.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { type Asset, coverKeyOf, findAsset, playbackPath } from '../assets/assets.ts'
import { type EmbedRequest, embedUrl, OPEN, type Origins, playbackFolder, type ShownVideo } from './embedding.rules.ts'
import { type PlayerFiles, readPlayerFiles } from './player-files.ts'

export type { EmbedRequest }
export { embedUrl, readPlayerFiles }

/** Decides whether a viewer may see a video. `main` provides this function. */
export type IsAuthorized = (embed: EmbedRequest) => Promise<boolean>

export type Embedding = Origins & {
  readonly database: Database
  readonly player: PlayerFiles
  readonly media: Pick<MediaBucket, 'read'>
  readonly isAuthorized: IsAuthorized
  readonly publicRequests: PublicRequests
}

/** `hidden`: the response does not reveal whether the video exists. */
export type Visibility =
  | { readonly kind: 'hidden' | 'missing' }
  | { readonly kind: 'shown'; readonly video: ShownVideo }

export async function findVisibleVideo(
  db: OrganizationDb,
  embed: EmbedRequest,
  { isAuthorized, playbackUrl }: Pick<Embedding, 'isAuthorized' | 'playbackUrl'>,
): Promise<Visibility> {
  if (!(await isAuthorized(embed))) return { kind: 'hidden' }
  const asset = await findAsset(db, embed.assetId)
  if (!asset) return { kind: 'missing' }
  // Protected videos are never public, even if the organization is.
  if (embed.token === OPEN && asset.contentProtection !== 'disable') return { kind: 'hidden' }
  return { kind: 'shown', video: toShown(asset, playbackFolder(playbackUrl, embed)) }
}

/** Size assumed for a video until its file has been probed. */
const DEFAULT_SIZE = { width: 1280, height: 720 }

function posterOf(asset: Asset, folder: string): Pick<ShownVideo, 'posterUrl' | 'posterKey'> {
  const key = coverKeyOf(asset)
  return { posterUrl: key && folder + playbackPath(asset, key), posterKey: key }
}

const toShown = (asset: Asset, folder: string): ShownVideo => ({
  title: asset.title,
  ...posterOf(asset, folder),
  width: asset.width ?? DEFAULT_SIZE.width,
  height: asset.height ?? DEFAULT_SIZE.height,
  durationSeconds: asset.durationSeconds,
})
