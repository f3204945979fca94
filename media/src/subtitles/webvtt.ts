/** Writes WebVTT. */
import type { Cue } from './cues.ts'

/** A cue as stored in a file, with tags and settings. */
export type TrackCue = {
  readonly startSeconds: number
  readonly endSeconds: number
  /** Cue settings, for example "line:0 align:start"; empty for the default position. */
  readonly settings: string
  /** Text with tags and escapes, without empty lines. */
  readonly text: string
}

export function writeWebVtt(cues: readonly TrackCue[]): string {
  const written = cues.map(({ startSeconds, endSeconds, settings, text }) => {
    const timing = `${timestamp(startSeconds)} --> ${timestamp(endSeconds)}`
    return `\n${settings === '' ? timing : `${timing} ${settings}`}\n${text}\n`
  })
  return `WEBVTT\n${written.join('')}`
}

export const toTrackCue = ({ startSeconds, endSeconds, lines }: Cue): TrackCue => ({
  ...{ startSeconds, endSeconds, settings: '' },
  text: lines.map(escaped).join('\n'),
})

/** Escapes text, including `>`, because an arrow in the text would start another cue. */
export const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

function timestamp(seconds: number): string {
  const all = Math.round(seconds * 1000)
  const fields = [Math.floor(all / 3_600_000), Math.floor(all / 60_000) % 60]
  const [hours, minutes] = fields.map((field) => String(field).padStart(2, '0'))
  return `${hours}:${minutes}:${((all % 60_000) / 1000).toFixed(3).padStart(6, '0')}`
}
