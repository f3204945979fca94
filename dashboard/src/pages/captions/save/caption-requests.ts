/** Reads and saves the text of a caption track. */
import type { Reelkeep } from 'reelkeep'
import { hasCode } from '../../../api/request.ts'
import type { Cues } from '../cues/cue-list.ts'
import { parseWebVtt, writeWebVtt } from '../formats/webvtt.ts'
import { newCueKey, type SavedCaptions } from './caption-state.ts'
import { mergeCues } from './cue-merge.ts'

/** Saves again if someone else saves between reading and saving. */
const ATTEMPTS_MAX = 5

export type TrackPlace = { readonly client: Reelkeep; readonly assetId: string; readonly trackId: string }

/** The text of a version never changes, so text and tag belong together. */
export async function readCaptions(
  { client, assetId, trackId }: TrackPlace,
  signal?: AbortSignal,
): Promise<SavedCaptions> {
  const options = signal && { signal }
  const { results, etag } = await client.subtitles.listVersions(assetId, trackId, options)
  const active = results.find(({ is_active: isActive }) => isActive)
  const text = await client.subtitles.readVersion(assetId, trackId, active?.number ?? 1, options)
  return { etag: etag ?? '', cues: parseWebVtt(text) }
}

type SaveResult =
  | { readonly kind: 'saved'; readonly saved: SavedCaptions; readonly theirChanges: number }
  | { readonly kind: 'conflict'; readonly latest: SavedCaptions }

type Save = { readonly base: { readonly etag: string; readonly cues: Cues }; readonly mine: Cues }

/**
 * Saves all cues as a new version. If another editor has saved in the meantime, the changes of both are combined and
 * saved. If they contradict, nothing is saved, and what the other editor has saved is returned.
 */
export async function saveCaptions(place: TrackPlace, { base, mine }: Save): Promise<SaveResult> {
  const { client, assetId, trackId } = place
  let [current, cues, theirChanges] = [base, mine, 0]
  for (let attempt = 1; ; attempt++) {
    try {
      const content = writeWebVtt(cues)
      const { version, etag } = await client.subtitles.replace(assetId, trackId, { content }, { ifMatch: current.etag })
      // The server normalizes tags: what it stores is the base of the next change.
      const text = await client.subtitles.readVersion(assetId, trackId, version)
      return { kind: 'saved', saved: { etag: etag ?? '', cues: parseWebVtt(text) }, theirChanges }
    } catch (error) {
      if (!hasCode(error, 'changed_meanwhile') || attempt === ATTEMPTS_MAX) throw error
      const latest = await readCaptions(place)
      const merge = mergeCues({ base: current.cues, mine: cues, theirs: latest.cues, newKey: newCueKey })
      if (merge.conflicts.length > 0) return { kind: 'conflict', latest }
      current = { etag: latest.etag, cues: merge.base }
      cues = merge.cues
      theirChanges += merge.theirChanges
    }
  }
}
