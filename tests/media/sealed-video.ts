/** What a player does with a video that is protected with AES-128, step by step and without any code of ours. */
import { createDecipheriv } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type SealedSegment = {
  readonly url: string
  readonly keyUrl: string
  readonly iv: string
  readonly sealed: Buffer
  readonly clear: Buffer
}

export type SealedTrack = {
  readonly name: string
  readonly init: Buffer
  readonly segments: readonly SealedSegment[]
  /** Two files of all of it: opened with the keys, and as it is sent. */
  readonly path: string
  readonly sealedPath: string
}

/** Every track that the list of tracks names. */
export async function fetchSealed(masterUrl: string, directory: string): Promise<SealedTrack[]> {
  const master = (await get(masterUrl)).toString()
  const uris = [...master.matchAll(/^(\w+\.m3u8)$|^#EXT-X-MEDIA:TYPE=AUDIO,.*URI="([^"]+)"/gm)]
  return Promise.all(
    uris.map(([, picture, sound]) =>
      fetchTrack(new URL(picture ?? sound ?? '', masterUrl).href, directory),
    ),
  )
}

const segmentLines =
  /^#EXT-X-KEY:METHOD=AES-128,URI="([^"]+)",IV=0x([0-9a-f]{32})\n#EXTINF:[\d.]+,\n(\S+)$/gm

async function fetchTrack(playlistUrl: string, directory: string): Promise<SealedTrack> {
  const playlist = (await get(playlistUrl)).toString()
  const urlOf = (uri: string) => new URL(uri, playlistUrl).href
  const [, initUri = ''] = /^#EXT-X-MAP:URI="([^"]+)"/m.exec(playlist) ?? []
  const init = await get(urlOf(initUri))
  const segments: SealedSegment[] = []
  for (const [, keyUri = '', iv = '', uri = ''] of playlist.matchAll(segmentLines)) {
    const place = { url: urlOf(uri), keyUrl: urlOf(keyUri), iv }
    const sealed = await get(place.url)
    segments.push({ ...place, sealed, clear: open(sealed, await get(place.keyUrl), iv) })
  }
  if (segments.length !== playlist.match(/^#EXTINF/gm)?.length) throw new Error('Some have no key')
  const name = playlistUrl.split('/').at(-1)?.replace('.m3u8', '') ?? ''
  const [path, sealedPath] = [join(directory, `${name}.mp4`), join(directory, `${name}-sealed.mp4`)]
  await writeFile(path, Buffer.concat([init, ...segments.map(({ clear }) => clear)]))
  await writeFile(sealedPath, Buffer.concat([init, ...segments.map(({ sealed }) => sealed)]))
  return { name, init, segments, path, sealedPath }
}

function open(sealed: Buffer, key: Buffer, iv: string): Buffer {
  const decipher = createDecipheriv('aes-128-cbc', key, Buffer.from(iv, 'hex'))
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}

async function get(url: string): Promise<Buffer> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return Buffer.from(await answer.arrayBuffer())
}
