import type { Asset, AssetProgress } from '../generated/contract.ts'
import { ProcessingError } from '../http/errors.ts'

export const isPlayable = ({ video }: Asset): boolean => video.playback_url !== null
export const isCompleted = ({ video }: Asset): boolean => video.status === 'Completed'

/** Why it will not be what is waited for; undefined while it may. */
export function failureOf({ id, video }: Asset): ProcessingError | undefined {
  if (video.status === 'Cancelled')
    return new ProcessingError(id, {
      code: 'cancelled',
      detail: 'Its processing was cancelled; `assets.retry` goes on with it.',
    })
  if (video.status !== 'Error') return undefined
  return new ProcessingError(
    id,
    video.error ?? { code: 'unknown', detail: 'The service does not say why.' },
  )
}

export const progressOf = ({ id, video }: Asset): AssetProgress => ({
  id,
  status: video.status,
  progress: video.progress,
  renditions: video.renditions.map(({ name, progress }) => ({ name, progress })),
})

type Told = Pick<AssetProgress, 'status' | 'progress'>

/**
 * Whether it would go backwards. Looks and the stream overtake each other, so what is less than was
 * told counts only if it was asked for afterwards and has another status: of a video that begins
 * again.
 */
export const isBehind = (next: Told, told: Told | undefined, isOvertaken: boolean): boolean =>
  told !== undefined &&
  next.progress < told.progress &&
  (isOvertaken || next.status === told.status)

export const deleted = (id: string): ProcessingError =>
  new ProcessingError(id, { code: 'deleted', detail: 'It was deleted meanwhile.' })
