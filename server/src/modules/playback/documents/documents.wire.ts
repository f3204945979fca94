/** JSON of the documents about a video. URLs in them are relative: the documents are beside the manifests. */
import { captionsPath, coverKeyOf, playbackPath, timelinePaths } from '../../assets/assets.ts'
import type { NewChapter } from '../../chapters/chapters.ts'
import type { Contents } from './documents.ts'

export type ForViewer = {
  /** Watermark text for this viewer. */
  readonly watermark: string | null
  /** License server URLs by key system. */
  readonly licenses: Readonly<Record<string, string>>
}

/** Everything our player needs before it starts. */
export function toAbout(
  { asset, frameRate, chapters, playbackStatus, leadSeconds }: Contents,
  { watermark, licenses }: ForViewer,
) {
  const uriOf = (key: string | null) => key && playbackPath(asset, key)
  const isPlayable = playbackStatus !== 'pending' && playbackStatus !== 'failed'
  const hasDash = playbackStatus === 'complete' && asset.contentProtection !== 'aes'
  return {
    id: asset.id,
    title: asset.title,
    status: playbackStatus,
    duration: asset.durationSeconds,
    start_offset: leadSeconds,
    width: asset.width,
    height: asset.height,
    frame_rate: frameRate,
    heights: asset.renditions.map(({ height }) => height),
    protection: asset.contentProtection,
    hls: isPlayable ? 'master.m3u8' : null,
    dash: hasDash ? 'manifest.mpd' : null,
    licenses,
    poster: uriOf(coverKeyOf(asset)),
    storyboard: timelinePaths(asset).storyboard,
    chapters: chapters.map(({ title, startSeconds }) => ({ title, start: startSeconds })),
    subtitles: asset.subtitles.map(({ id, language, label, origin, key }) => ({
      id,
      language,
      label,
      is_automatic: origin === 'generated',
      uri: captionsPath(asset, { id, key }),
    })),
    watermark,
  }
}

/** Apple's format. A chapter ends where the next one starts. The language of the titles is not known. */
export const toAppleChapters = (chapters: readonly NewChapter[], durationSeconds: number) =>
  chapters.map(({ title, startSeconds }, index) => {
    const end = chapters[index + 1]?.startSeconds ?? durationSeconds
    return {
      chapter: index + 1,
      'start-time': startSeconds,
      duration: Math.max(0, end - startSeconds),
      titles: [{ language: 'und', title }],
    }
  })
