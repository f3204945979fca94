/** The rules of subtitle tracks: whose they are, how they are named, and how many a video has. */
import { subtitles as contract } from '@reelkeep/contract'
import { refused, refusedForAll } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId, SubtitleId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { storagePrefix } from '../assets/assets.ts'

const { SUBTITLES_PER_ASSET_MAX } = contract

export type SubtitleOrigin = (typeof contract.subtitleOrigins)[number]

export type SubtitleTrack = {
  readonly id: SubtitleId
  readonly language: string
  readonly label: string
  readonly origin: SubtitleOrigin
  readonly key: string
  readonly createdAt: Timestamp
}

/** Where what callers add lies; what is made of the video lies under the prefix of its attempt. */
export const uploadedTracksPrefix = (organizationId: OrganizationId, assetId: AssetId) =>
  `${storagePrefix(organizationId, assetId)}subtitles/`

/** In the usual spelling. */
export function cleanLanguage(text: string): string {
  try {
    const [language] = Intl.getCanonicalLocales(text.trim())
    if (language !== undefined) return language
  } catch {
    // Told below.
  }
  const detail = 'language is no BCP 47 tag, such as de, pt-BR or zh-Hant.'
  throw refused('invalid_language', detail, 'language')
}

/** What cannot be read of a text, line by line. */
export type TextFault = { readonly line: number; readonly detail: string }

export function unreadable([first, ...others]: readonly [TextFault, ...TextFault[]]) {
  return refusedForAll([toFault(first), ...others.map(toFault)])
}

const toFault = ({ line, detail }: TextFault) => ({
  code: 'invalid_subtitle_text' as const,
  field: 'content',
  detail: `Line ${line}: ${detail}`,
})

export function assertRoom(count: number): void {
  if (count < SUBTITLES_PER_ASSET_MAX) return
  throw refused(
    'too_many_subtitles',
    `A video has at most ${SUBTITLES_PER_ASSET_MAX} subtitle tracks, and this one has ${count}. Delete one first.`,
  )
}

/** How many more there may be. */
export const roomBeside = (count: number) => Math.max(0, SUBTITLES_PER_ASSET_MAX - count)

export const subtitleNotFound = () =>
  refused('subtitle_not_found', 'This video has no such subtitle track.')
