/** The pieces that playlists are written of. */

/**
 * The newest that anything we write needs: 6 knows a map in a media playlist, 7 is what Apple asks
 * of fragmented MP4.
 */
const HLS_VERSION = 7

export const playlist = (...lines: readonly string[]) =>
  `${['#EXTM3U', `#EXT-X-VERSION:${HLS_VERSION}`, ...lines].join('\n')}\n`

/** Neither a quote nor the end of a line can be written inside of one. */
export const quoted = (text: string) =>
  `"${text.replaceAll('"', "'").replace(/\p{Cc}+|[\u2028\u2029]+/gu, ' ')}"`

/** Those without a value are left out. */
export const tag = (name: string, attributes: Record<string, string | number | undefined>) =>
  `#EXT-X-${name}:${Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([attribute, value]) => `${attribute}=${value}`)
    .join(',')}`

/**
 * How long each piece lasts, to the microsecond. Rounded where they end and not one by one, so that
 * a player that adds up thousands of them is never off by more than one.
 */
export function exactDurations(pieces: readonly { readonly seconds: number }[]): string[] {
  let seconds = 0
  let writtenMicroseconds = 0
  return pieces.map((piece) => {
    seconds += piece.seconds
    const endMicroseconds = Math.round(seconds * 1e6)
    const lasting = endMicroseconds - writtenMicroseconds
    writtenMicroseconds = endMicroseconds
    return (lasting / 1e6).toFixed(6)
  })
}
