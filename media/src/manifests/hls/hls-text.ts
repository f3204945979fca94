/** Functions that write the parts of playlists. */

/** Version 6 is required for EXT-X-MAP in media playlists, and Apple requires version 7 for fragmented MP4. */
const HLS_VERSION = 7

export const playlist = (...lines: readonly string[]) =>
  `${['#EXTM3U', `#EXT-X-VERSION:${HLS_VERSION}`, ...lines].join('\n')}\n`

/** Writes a quoted string. In HLS, quoted strings cannot contain quotes or line breaks. */
export const quoted = (text: string) => `"${text.replaceAll('"', "'").replace(/\p{Cc}+|[\u2028\u2029]+/gu, ' ')}"`

/** Writes a playlist tag. Attributes without a value are omitted. */
export const tag = (name: string, attributes: Record<string, string | number | undefined>) =>
  `#EXT-X-${name}:${Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([attribute, value]) => `${attribute}=${value}`)
    .join(',')}`

/**
 * Durations with microsecond precision. The end times are rounded rather than each duration, so that the sum of
 * thousands of segments is never off by more than a microsecond.
 */
export function exactDurations(segments: readonly { readonly seconds: number }[]): string[] {
  let seconds = 0
  let writtenMicroseconds = 0
  return segments.map((segment) => {
    seconds += segment.seconds
    const endMicroseconds = Math.round(seconds * 1e6)
    const duration = endMicroseconds - writtenMicroseconds
    writtenMicroseconds = endMicroseconds
    return (duration / 1e6).toFixed(6)
  })
}
