/** Fetches all playlists and segments of a video over HTTP, like a player. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type Fetched = {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

export type PublishedTrack = {
  /** Name of the playlist. */
  readonly name: string
  readonly initUrl: string
  readonly segments: readonly { readonly url: string; readonly seconds: number }[]
  /** A file with the header and all segments in order. */
  readonly path: string
}

export type PublishedRung = PublishedTrack & { readonly width: number; readonly height: number }

export type PublishedVideo = {
  readonly masterUrl: string
  readonly rungs: readonly PublishedRung[]
  readonly audio: PublishedTrack | undefined
  /** Number of subtitle tracks in HLS. */
  readonly subtitleCount: number
  readonly dash: string
  /** All responses. */
  readonly fetched: readonly Fetched[]
}

/** Writes one file per track to the directory. */
export async function fetchPublished(
  { masterUrl, dashUrl }: { readonly masterUrl: string; readonly dashUrl: string },
  directory: string,
): Promise<PublishedVideo> {
  const fetched: Fetched[] = []
  const get = async (url: string) => {
    const response = await fetch(url)
    const { status, headers } = response
    const body = Buffer.from(await response.arrayBuffer())
    fetched.push({ url, status, headers, body })
    return body
  }
  const master = (await get(masterUrl)).toString('utf8')
  const track = async (uri: string) => fetchTrack(get, new URL(uri, masterUrl).href, directory)
  const rungs: PublishedRung[] = []
  for (const [, width, height, uri = ''] of master.matchAll(variantLines)) {
    rungs.push({ ...(await track(uri)), width: Number(width), height: Number(height) })
  }
  const audioUri = /^#EXT-X-MEDIA:TYPE=AUDIO,.*URI="([^"]+)"/m.exec(master)?.[1]
  const audio = audioUri === undefined ? undefined : await track(audioUri)
  const dash = (await get(dashUrl)).toString('utf8')
  const subtitleCount = [...master.matchAll(/^#EXT-X-MEDIA:TYPE=SUBTITLES,/gm)].length
  return { masterUrl, rungs, audio, subtitleCount, dash, fetched }
}

const variantLines = /^#EXT-X-STREAM-INF:.*RESOLUTION=(\d+)x(\d+).*\n(\S+)$/gm
const segmentLines = /^#EXTINF:([\d.]+),\n(\S+)$/gm

async function fetchTrack(
  get: (url: string) => Promise<Buffer>,
  playlistUrl: string,
  directory: string,
): Promise<PublishedTrack> {
  const playlist = (await get(playlistUrl)).toString('utf8')
  if (!playlist.includes('#EXT-X-ENDLIST')) throw new Error(`${playlistUrl} has no end`)
  const name = playlistUrl.split('/').at(-1)?.replace('.m3u8', '') ?? ''
  const initUri = /^#EXT-X-MAP:URI="([^"]+)"/m.exec(playlist)?.[1] ?? ''
  const initUrl = new URL(initUri, playlistUrl).href
  const segments = [...playlist.matchAll(segmentLines)].map(([, seconds, uri = '']) => ({
    ...{ url: new URL(uri, playlistUrl).href, seconds: Number(seconds) },
  }))
  const chunks = [await get(initUrl)]
  for (const { url } of segments) chunks.push(await get(url))
  const path = join(directory, `${name}.mp4`)
  await writeFile(path, Buffer.concat(chunks))
  return { name, initUrl, segments, path }
}
