/**
 * Documents about a video, as players read them. Addresses in them are relative to them: they lie
 * beside the manifests.
 */
import { storagePrefix } from '../../assets/assets.ts'
import type { Chapter } from '../../chapters/chapters.ts'
import { relative } from '../playback.rules.ts'
import type { Contents } from './documents.ts'

export type ForViewer = {
  /** What this viewer's picture is to be marked with. */
  readonly watermark: string | null
  /** Where licences are to be had, by key system. */
  readonly licences: Readonly<Record<string, string>>
}

/** All that a player of ours has to know before it plays. */
export function toAbout({ asset, chapters, course }: Contents, { watermark, licences }: ForViewer) {
  const prefix = storagePrefix(asset.organizationId, asset.id)
  const uriOf = (key: string | null) => key && relative(key, prefix)
  const isPlayable = course !== 'awaited' && course !== 'lost'
  const hasDash = course === 'whole' && asset.contentProtection !== 'aes'
  return {
    id: asset.id,
    title: asset.title,
    course,
    duration: asset.durationSeconds,
    width: asset.width,
    height: asset.height,
    heights: asset.renditions.map(({ height }) => height),
    protection: asset.contentProtection,
    hls: isPlayable ? 'master.m3u8' : null,
    dash: hasDash ? 'manifest.mpd' : null,
    licences,
    poster: uriOf(asset.coverKey),
    storyboard: uriOf(asset.storyboardKey),
    chapters: chapters.map(({ title, startSeconds }) => ({ title, start: startSeconds })),
    subtitles: asset.subtitles.map(({ id, language, label, origin, key }) => ({
      id,
      language,
      label,
      is_automatic: origin === 'generated',
      uri: uriOf(key),
    })),
    watermark,
  }
}

/** Apple's form of it: each lasts until the next, and the titles are in a language that nobody has told us. */
export const toAppleChapters = (chapters: readonly Chapter[], durationSeconds: number) =>
  chapters.map(({ title, startSeconds }, index) => {
    const end = chapters[index + 1]?.startSeconds ?? durationSeconds
    return {
      chapter: index + 1,
      'start-time': startSeconds,
      duration: Math.max(0, end - startSeconds),
      titles: [{ language: 'und', title }],
    }
  })
