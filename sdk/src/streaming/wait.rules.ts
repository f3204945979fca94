import type { Asset, AssetProgress } from '../generated/contract.ts'
import { ProcessingError } from '../http/errors.ts'

export const isPlayable = ({ video }: Asset): boolean => video.playback_url !== null
export const isCompleted = ({ video }: Asset): boolean => video.status === 'Completed'

/** Returns the error to throw if the video can no longer become ready; undefined while it still can. */
export function failureOf({ id, video }: Asset): ProcessingError | undefined {
  if (video.status === 'Cancelled') return new ProcessingError(id, video.error ?? cancelled)
  if (video.status !== 'Error') return undefined
  return new ProcessingError(id, video.error ?? { code: 'unknown', detail: 'Processing failed for an unknown reason.' })
}

/** Without an error, the file was uploaded and its processing was cancelled. */
const cancelled = { code: 'cancelled', detail: 'Processing was cancelled. Call `assets.retry` to resume it.' }

export const progressOf = ({ id, video }: Asset): AssetProgress => ({
  id,
  status: video.status,
  progress: video.progress,
  renditions: video.renditions.map(({ name, progress }) => ({ name, progress })),
})

type ProgressState = Pick<AssetProgress, 'status' | 'progress'>

/**
 * Whether reporting `next` would move progress backwards. Polls and stream events can arrive out of order. Lower
 * progress is reported only if it was read after the last report and has another status: processing has restarted.
 */
export const isBehind = (next: ProgressState, reported: ProgressState | undefined, isStale: boolean): boolean =>
  reported !== undefined && next.progress < reported.progress && (isStale || next.status === reported.status)

export const deletedError = (id: string): ProcessingError =>
  new ProcessingError(id, { code: 'deleted', detail: 'The asset was deleted.' })
