/** Whether players are told the truth: by headers, by DASH as by HLS, and to a reader that is none of ours. */
import type { PublishedTrack, PublishedVideo } from './published-video.ts'
import type { Probed } from './streams-of.ts'

const MANIFEST_CACHING = 'private, max-age=60'
/** As long as the pass in its address lasts: six to seven hours. */
const PIECE_CACHING = 'private, max-age=hours, immutable'
const cachingOf = (headers: Headers) =>
  headers.get('cache-control')?.replace(/max-age=2[1-5]\d{3}\b/, 'max-age=hours')

export function faultsOfHeaders({ fetched }: PublishedVideo): string[] {
  return fetched.flatMap(({ url, status, headers, body }) => {
    const path = new URL(url).pathname
    const seen = {
      ...{ status, type: headers.get('content-type'), caching: cachingOf(headers) },
      origins: headers.get('access-control-allow-origin'),
      bytes: Number(headers.get('content-length')),
      hasTag: /^"[^"]+"$/.test(headers.get('etag') ?? ''),
    }
    const wanted = {
      ...{ status: 200, type: typeOf(path) },
      caching: isPiece(path) ? PIECE_CACHING : MANIFEST_CACHING,
      ...{ origins: '*', bytes: body.length, hasTag: true },
    }
    const [is, should] = [JSON.stringify(seen), JSON.stringify(wanted)]
    return is === should ? [] : [`${path}: ${is} instead of ${should}`]
  })
}

const isPiece = (path: string) => /\.(mp4|m4s)$/.test(path)

function typeOf(path: string): string {
  if (path.endsWith('.m3u8')) return 'application/vnd.apple.mpegurl; charset=utf-8'
  if (path.endsWith('.mpd')) return 'application/dash+xml; charset=utf-8'
  return path.includes('/audio/') ? 'audio/mp4' : 'video/mp4'
}

/** Rounded by ourselves to microseconds. */
const ROUNDING_SECONDS = 0.00001

/** The same pieces, and as long. */
export function faultsOfDash(
  { dash, masterUrl, rungs, audio, subtitleCount }: PublishedVideo,
  seconds: number,
): string[] {
  const tracks = [...rungs, ...(audio ? [audio] : [])]
  const said = /mediaPresentationDuration="PT([\d.]+)S"/.exec(dash)?.[1]
  const representations = [
    ...dash.matchAll(/<Representation id="([^"]+)"[\s\S]*?<\/Representation>/g),
  ]
  const faults = tracks.flatMap((track) => {
    const own = representations.find(([, id]) => id === track.name)?.[0] ?? ''
    return piecesIn(own, masterUrl).join() === piecesOf(track).join()
      ? []
      : [`DASH names other pieces of ${track.name} than HLS`]
  })
  if (representations.length !== tracks.length + subtitleCount) {
    faults.push('DASH has other tracks than HLS')
  }
  if (Math.abs(Number(said) - seconds) > ROUNDING_SECONDS) {
    faults.push(`DASH says ${said} seconds instead of ${seconds}`)
  }
  return faults
}

const piecesOf = ({ initUrl, segments }: PublishedTrack) => [
  initUrl,
  ...segments.map(({ url }) => url),
]

const piecesIn = (representation: string, base: string) =>
  [...representation.matchAll(/(?:sourceURL|media)="([^"]+)"/g)].map(
    ([, uri = '']) => new URL(uri, base).href,
  )

/** By the multivariant playlist alone. */
export function faultsOfHls(
  { streams, format }: Probed,
  { rungs, audio }: PublishedVideo,
  { seconds, frameSeconds }: { readonly seconds: number; readonly frameSeconds: number },
): string[] {
  const kinds = (kind: string) => streams.filter(({ codec_type }) => codec_type === kind)
  const sizes = kinds('video').map(({ width, height }) => `${width}x${height}`)
  const wanted = rungs.map(({ width, height }) => `${width}x${height}`)
  const faults: string[] = []
  if (sizes.toSorted().join() !== wanted.toSorted().join()) {
    faults.push(`ffprobe finds ${sizes} behind the playlist instead of ${wanted}`)
  }
  if (kinds('audio').length > 0 !== (audio !== undefined)) faults.push('ffprobe hears otherwise')
  if (!(Math.abs(Number(format.duration) - seconds) <= frameSeconds)) {
    faults.push(`ffprobe finds ${format.duration} seconds instead of ${seconds}`)
  }
  return faults
}
