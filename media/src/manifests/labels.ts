import { quoted } from './hls/hls-text.ts'
import type { SubtitleTrack } from './stream.ts'

/**
 * Numbers duplicate labels, which users cannot distinguish and HLS forbids. Labels are compared as
 * HLS writes them, with only one kind of quote.
 */
export function withUniqueLabels(tracks: readonly SubtitleTrack[]): SubtitleTrack[] {
  const taken = new Set<string>()
  return tracks.map((track) => {
    let label = track.label
    for (let number = 2; taken.has(quoted(label)); number++) label = `${track.label} (${number})`
    taken.add(quoted(label))
    return { ...track, label }
  })
}
