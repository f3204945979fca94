/** Rules for the versions of a subtitle track. */
import { subtitles as contract } from '@reelkeep/contract'
import { refused } from '../../../kernel/errors.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { SubtitleOrigin, SubtitleTrack } from '../subtitles.rules.ts'

export type TrackVersion = {
  readonly number: number
  readonly origin: SubtitleOrigin
  readonly key: string
  /** Storage key of the file of a step, of which the version is a copy. */
  readonly producedKey: string | null
  readonly lastCueSeconds: number | null
  readonly createdAt: Timestamp
}

/** A version as clients read it. */
export type ListedVersion = TrackVersion & { readonly isActive: boolean }

/** The only version of a track that was never replaced. */
const onlyVersion = ({ version, origin, key, lastCueSeconds, createdAt }: SubtitleTrack): TrackVersion => ({
  ...{ number: version, origin, key, lastCueSeconds, createdAt },
  producedKey: null,
})

export const listedVersions = (track: SubtitleTrack, versions: readonly TrackVersion[]): ListedVersion[] =>
  (versions.length === 0 ? [onlyVersion(track)] : versions).map((version) => ({
    ...version,
    isActive: version.number === track.version,
  }))

/** The oldest versions beyond the maximum, without the one that is shown. */
export function versionsToDelete<Version extends Pick<ListedVersion, 'number' | 'isActive'>>(
  versions: readonly Version[],
  kept = contract.SUBTITLE_VERSIONS_MAX,
): Version[] {
  const oldestFirst = versions.filter(({ isActive }) => !isActive).sort((a, b) => a.number - b.number)
  return oldestFirst.slice(0, Math.max(0, versions.length - kept))
}

/** Identifies the text of a track, for `If-Match`: the text of a version never changes. */
export const entityOf = ({ id, version }: Pick<SubtitleTrack, 'id' | 'version'>) => [id, version]

export const versionNotFound = () =>
  refused('version_not_found', 'The subtitle track has no version with this number, or it has been deleted.')

export const producedMeanwhile = () =>
  refused(
    'changed_meanwhile',
    'The subtitle track was generated or repaired again during the request. Repeat the request.',
  )
