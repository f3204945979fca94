/** Checks the headers of all responses, the DASH manifest against the HLS playlists, and HLS with ffprobe. */

import type { Probed } from './ffprobe.ts'
import type { PublishedTrack, PublishedVideo } from './published-video.ts'

const MANIFEST_CACHING = 'private, max-age=60'
/** Segments may be cached for the remaining lifetime of the playback token in the URL: six to seven hours. */
const SEGMENT_CACHING = 'private, max-age=hours, immutable'
const cachingOf = (headers: Headers) => headers.get('cache-control')?.replace(/max-age=2[1-5]\d{3}\b/, 'max-age=hours')

export function findHeaderErrors({ fetched }: PublishedVideo): string[] {
  return fetched.flatMap(({ url, status, headers, body }) => {
    const path = new URL(url).pathname
    const seen = {
      ...{ status, type: headers.get('content-type'), caching: cachingOf(headers) },
      origins: headers.get('access-control-allow-origin'),
      bytes: Number(headers.get('content-length')),
      hasTag: /^"[^"]+"$/.test(headers.get('etag') ?? ''),
    }
    const expected = {
      ...{ status: 200, type: typeOf(path) },
      caching: isSegment(path) ? SEGMENT_CACHING : MANIFEST_CACHING,
      ...{ origins: '*', bytes: body.length, hasTag: true },
    }
    const [is, should] = [JSON.stringify(seen), JSON.stringify(expected)]
    return is === should ? [] : [`${path}: ${is} instead of ${should}`]
  })
}

const isSegment = (path: string) => /\.(mp4|m4s)$/.test(path)

function typeOf(path: string): string {
  if (path.endsWith('.m3u8')) return 'application/vnd.apple.mpegurl; charset=utf-8'
  if (path.endsWith('.mpd')) return 'application/dash+xml; charset=utf-8'
  return path.includes('/audio/') ? 'audio/mp4' : 'video/mp4'
}

/** Tolerance for durations, which are rounded to microseconds. */
const ROUNDING_SECONDS = 0.00001

/** Checks that DASH has the same segments and duration as HLS. */
export function findDashErrors(
  { dash, masterUrl, rungs, audio, subtitleCount }: PublishedVideo,
  seconds: number,
): string[] {
  const tracks = [...rungs, ...(audio ? [audio] : [])]
  const declared = /mediaPresentationDuration="PT([\d.]+)S"/.exec(dash)?.[1]
  const representations = [...dash.matchAll(/<Representation id="([^"]+)"[\s\S]*?<\/Representation>/g)]
  const errors = tracks.flatMap((track) => {
    const own = representations.find(([, id]) => id === track.name)?.[0] ?? ''
    return segmentUrlsIn(own, masterUrl).join() === segmentUrls(track).join()
      ? []
      : [`the segments of ${track.name} differ between DASH and HLS`]
  })
  if (representations.length !== tracks.length + subtitleCount) {
    errors.push('the tracks differ between DASH and HLS')
  }
  if (Math.abs(Number(declared) - seconds) > ROUNDING_SECONDS) {
    errors.push(`the DASH duration is ${declared} seconds instead of ${seconds}`)
  }
  return errors
}

const segmentUrls = ({ initUrl, segments }: PublishedTrack) => [initUrl, ...segments.map(({ url }) => url)]

const segmentUrlsIn = (representation: string, base: string) =>
  [...representation.matchAll(/(?:sourceURL|media)="([^"]+)"/g)].map(([, uri = '']) => new URL(uri, base).href)

/** Checks what ffprobe reads from the multivariant playlist. */
export function findHlsErrors(
  { streams, format }: Probed,
  { rungs, audio }: PublishedVideo,
  { seconds, frameSeconds }: { readonly seconds: number; readonly frameSeconds: number },
): string[] {
  const kinds = (kind: string) => streams.filter(({ codec_type }) => codec_type === kind)
  const sizes = kinds('video').map(({ width, height }) => `${width}x${height}`)
  const expected = rungs.map(({ width, height }) => `${width}x${height}`)
  const errors: string[] = []
  if (sizes.toSorted().join() !== expected.toSorted().join()) {
    errors.push(`ffprobe finds the sizes ${sizes} instead of ${expected}`)
  }
  if (kinds('audio').length > 0 !== (audio !== undefined)) errors.push('ffprobe finds audio in only one of both')
  if (!(Math.abs(Number(format.duration) - seconds) <= frameSeconds)) {
    errors.push(`ffprobe finds ${format.duration} seconds instead of ${seconds}`)
  }
  return errors
}
