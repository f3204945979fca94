/** The texts of uploaded tracks: where they are stored, and how they are converted. */
import { type AssetId, newSubtitleId, type OrganizationId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { ThreadPool } from '../../platform/threads/thread-pool.ts'
import { unreadable, uploadedTracksPrefix } from './subtitles.rules.ts'
import { trackParser } from './track-parser.ts'

/** Dependencies of storing the text of a track. */
export type TextStorage = { readonly media: MediaBucket; readonly threads: ThreadPool }

type Place = { readonly organizationId: OrganizationId; readonly assetId: AssetId }

/** A new storage key. Every text has its own, so that caches never have an older one. */
export const newTextKey = ({ organizationId, assetId }: Place, id: string = newSubtitleId()) =>
  `${uploadedTracksPrefix(organizationId, assetId)}${id}.vtt`

/** Whether the text belongs to the asset, and not to a step of the pipeline. */
export const isUploadedKey = ({ organizationId, assetId }: Place, key: string) =>
  key.startsWith(uploadedTracksPrefix(organizationId, assetId))

/** Converts WebVTT or SRT to the WebVTT that is stored. Throws for a text with invalid lines. */
export async function parseText(threads: ThreadPool, { organizationId }: OrganizationDb, text: string) {
  const converted = await threads.parse(organizationId, trackParser, { text })
  if (converted.errors) throw unreadable(converted.errors)
  return converted
}

/** Start of the last cue of a stored text, in seconds; null if it has none. */
export function lastCueOf(webVtt: string): number | null {
  const [, hours, minutes, seconds] = [...webVtt.matchAll(/^(\d+):(\d\d):(\d\d\.\d{3}) --> /gm)].at(-1) ?? []
  return hours === undefined ? null : (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
}
