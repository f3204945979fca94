/** Rules for subtitle tracks: storage keys, languages and limits. */
import { subtitles as contract } from '@reelkeep/contract'
import { refused, refusedForViolations } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId, SubtitleId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { type Asset, storagePrefix, wholeDurationOf } from '../assets/assets.ts'

const { SUBTITLES_PER_ASSET_MAX } = contract

export type SubtitleOrigin = (typeof contract.subtitleOrigins)[number]

export type SubtitleTrack = {
  readonly id: SubtitleId
  readonly language: string
  readonly label: string
  readonly origin: SubtitleOrigin
  readonly key: string
  /** Number of the version that the track shows. */
  readonly version: number
  /** Start of the last cue of an uploaded track; null if it is not known. */
  readonly lastCueSeconds: number | null
  readonly createdAt: Timestamp
}

/** A track as clients read it. */
export type ListedTrack = SubtitleTrack & { readonly isBeyondEnd: boolean }

/** Marks a track with cues after the end of the video, for example because the asset shows a shorter version. */
export function listed(track: SubtitleTrack, asset: Pick<Asset, 'durationSeconds' | 'range'>): ListedTrack {
  // Tracks keep their times while the asset is trimmed.
  const durationSeconds = asset.range ? wholeDurationOf(asset.range) : asset.durationSeconds
  return { ...track, isBeyondEnd: durationSeconds !== null && (track.lastCueSeconds ?? 0) >= durationSeconds }
}

/** Prefix of uploaded tracks. Generated tracks are under the prefix of their pipeline attempt. */
export const uploadedTracksPrefix = (organizationId: OrganizationId, assetId: AssetId) =>
  `${storagePrefix(organizationId, assetId)}subtitles/`

/** Returns the canonical BCP 47 tag. */
export function cleanLanguage(text: string): string {
  try {
    const [language] = Intl.getCanonicalLocales(text.trim())
    if (language !== undefined) return language
  } catch {
    // Not a BCP 47 tag.
  }
  const detail = 'language must be a BCP 47 tag such as de, pt-BR or zh-Hant.'
  throw refused('invalid_language', detail, 'language')
}

/** A line that cannot be parsed. */
export type TextError = { readonly line: number; readonly detail: string }

export function unreadable([first, ...others]: readonly [TextError, ...TextError[]]) {
  return refusedForViolations([toApiError(first), ...others.map(toApiError)])
}

const toApiError = ({ line, detail }: TextError) => ({
  code: 'invalid_subtitle_text' as const,
  field: 'content',
  detail: `Line ${line}: ${detail}`,
})

export function assertRoom(count: number): void {
  if (count < SUBTITLES_PER_ASSET_MAX) return
  throw refused(
    'too_many_subtitles',
    `A video can have at most ${SUBTITLES_PER_ASSET_MAX} subtitle tracks (this one has ${count}). Delete one first.`,
  )
}

/** How many more tracks the video can have. */
export const remainingRoom = (count: number) => Math.max(0, SUBTITLES_PER_ASSET_MAX - count)

export const subtitleNotFound = () => refused('subtitle_not_found', 'The subtitle track does not exist in this asset.')
