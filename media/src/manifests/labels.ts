import { quoted } from './hls-text.ts'
import type { SubtitleTrack } from './stream.ts'

/**
 * In a menu two tracks of one name cannot be told apart, and HLS forbids it: the second is
 * numbered. Names are compared as HLS writes them, which knows one kind of quote only.
 */
export function withOwnLabels(tracks: readonly SubtitleTrack[]): SubtitleTrack[] {
  const taken = new Set<string>()
  return tracks.map((track) => {
    let label = track.label
    for (let number = 2; taken.has(quoted(label)); number++) label = `${track.label} (${number})`
    taken.add(quoted(label))
    return { ...track, label }
  })
}
