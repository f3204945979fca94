/** Fetches and decrypts a video protected with AES-128, without any code of the service. */
import { createDecipheriv } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type EncryptedSegment = {
  readonly url: string
  readonly keyUrl: string
  readonly iv: string
  readonly encrypted: Buffer
  readonly clear: Buffer
}

export type EncryptedTrack = {
  readonly name: string
  readonly init: Buffer
  readonly segments: readonly EncryptedSegment[]
  /** File with the decrypted track; `encryptedPath` has the track as it was sent. */
  readonly path: string
  readonly encryptedPath: string
}

/** Fetches all tracks of the multivariant playlist. */
export async function fetchEncrypted(masterUrl: string, directory: string): Promise<EncryptedTrack[]> {
  const master = (await get(masterUrl)).toString()
  const uris = [...master.matchAll(/^(\w+\.m3u8)$|^#EXT-X-MEDIA:TYPE=AUDIO,.*URI="([^"]+)"/gm)]
  return Promise.all(
    uris.map(([, videoUri, audioUri]) => fetchTrack(new URL(videoUri ?? audioUri ?? '', masterUrl).href, directory)),
  )
}

const segmentLines = /^#EXT-X-KEY:METHOD=AES-128,URI="([^"]+)",IV=0x([0-9a-f]{32})\n#EXTINF:[\d.]+,\n(\S+)$/gm

async function fetchTrack(playlistUrl: string, directory: string): Promise<EncryptedTrack> {
  const playlist = (await get(playlistUrl)).toString()
  const urlOf = (uri: string) => new URL(uri, playlistUrl).href
  const [, initUri = ''] = /^#EXT-X-MAP:URI="([^"]+)"/m.exec(playlist) ?? []
  const init = await get(urlOf(initUri))
  const segments: EncryptedSegment[] = []
  for (const [, keyUri = '', iv = '', uri = ''] of playlist.matchAll(segmentLines)) {
    const location = { url: urlOf(uri), keyUrl: urlOf(keyUri), iv }
    const encrypted = await get(location.url)
    segments.push({
      ...location,
      encrypted,
      clear: decrypt(encrypted, await get(location.keyUrl), iv),
    })
  }
  if (segments.length !== playlist.match(/^#EXTINF/gm)?.length) throw new Error('some segments have no key')
  const name = playlistUrl.split('/').at(-1)?.replace('.m3u8', '') ?? ''
  const [path, encryptedPath] = [join(directory, `${name}.mp4`), join(directory, `${name}-encrypted.mp4`)]
  await writeFile(path, Buffer.concat([init, ...segments.map(({ clear }) => clear)]))
  await writeFile(encryptedPath, Buffer.concat([init, ...segments.map(({ encrypted }) => encrypted)]))
  return { name, init, segments, path, encryptedPath }
}

function decrypt(encrypted: Buffer, key: Buffer, iv: string): Buffer {
  const decipher = createDecipheriv('aes-128-cbc', key, Buffer.from(iv, 'hex'))
  return Buffer.concat([decipher.update(encrypted), decipher.final()])
}

async function get(url: string): Promise<Buffer> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return Buffer.from(await response.arrayBuffer())
}
