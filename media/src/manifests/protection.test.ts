/** Encryption in manifests, checked with independent parsers. */
import hls from 'hls-parser'
import { parse } from 'mpd-parser'
import { describe, expect, it } from 'vitest'
import { clearKeyProtection, commonPssh } from './clear-key.ts'
import { writeDash } from './dash.ts'
import { writeIframePlaylist, writeMediaPlaylist } from './hls/hls-media.ts'
import { writeMultivariant } from './hls/hls-multivariant.ts'
import { listed, smallStream } from './stream.fixtures.ts'
import type { Stream, TrackProtection } from './stream.ts'

const kids = [Buffer.alloc(16, 0xa1), Buffer.alloc(16, 0xb2)] as const
const [ofVideo, ofAudio] = kids

const clearKey = (kid: Buffer, scheme: 'cbcs' | 'cenc' = 'cbcs') =>
  clearKeyProtection({ scheme, kid, kids, keyUri: `keys/${kid.toString('hex')}.bin` })

const WIDEVINE = 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed'
const drmProvider = (kid: Buffer): TrackProtection => ({
  scheme: 'cbcs',
  kid: kid.toString('hex'),
  hlsKeys: [`#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://${kid.toString('hex')}",KEYFORMAT="apple"`],
  hlsSessionKeys: [`#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://both",KEYFORMAT="apple"`],
  dash: [{ systemId: WIDEVINE, pssh: 'AAAA', elements: '<x:pro xmlns:x="urn:maker">Zm9v</x:pro>' }],
})

function streamWith(protectionOf: (kid: Buffer) => TrackProtection): Stream {
  const { video, audio } = smallStream
  return {
    ...smallStream,
    video: video.map((track) => ({ ...track, protection: protectionOf(ofVideo) })),
    audio: audio && { ...audio, protection: protectionOf(ofAudio) },
  }
}

const keysIn = (playlist: string) => {
  const read = hls.parse(playlist)
  if (read.isMasterPlaylist) throw new Error('not a media playlist')
  return read.segments.map(({ key }) => key && { method: key.method, uri: key.uri })
}

function trackOf<Track>(track: Track | null | undefined): Track {
  if (!track) throw new Error('no such track')
  return track
}

describe('a playlist', () => {
  it.each([
    ['cbcs', 'SAMPLE-AES'],
    ['cenc', 'SAMPLE-AES-CTR'],
  ] as const)('has a key for every segment and keyframe with %s', (scheme, method) => {
    const stream = streamWith((kid) => clearKey(kid, scheme))
    const video = trackOf(stream.video[0])
    const key = { method, uri: `keys/${'a1'.repeat(16)}.bin` }
    expect(keysIn(writeMediaPlaylist(stream, video))).toEqual([key, key])
    expect(keysIn(writeIframePlaylist(stream, video))).toEqual([key, key, key])
    const [sound] = keysIn(writeMediaPlaylist(stream, trackOf(stream.audio)))
    expect(sound?.uri).toBe(`keys/${'b2'.repeat(16)}.bin`)
  })

  it('lists each session key once, before all tracks', () => {
    const text = writeMultivariant(listed(streamWith(drmProvider)))
    const read = hls.parse(text)
    if (!read.isMasterPlaylist) throw new Error('not a multivariant playlist')
    expect(read.sessionKeyList.map(({ uri }) => uri)).toEqual(['skd://both'])
    expect(text.indexOf('#EXT-X-SESSION-KEY')).toBeLessThan(text.indexOf('#EXT-X-MEDIA'))
  })

  it('has no session key with ClearKey', () => {
    const text = writeMultivariant(listed(streamWith(clearKey)))
    expect(text).toBe(writeMultivariant(listed(smallStream)))
  })
})

describe('DASH manifest', () => {
  const read = (stream: Stream) => {
    const { playlists, mediaGroups } = parse(writeDash(stream), {
      manifestUri: 'https://video.example/play/manifest.mpd',
    }) as unknown as Read
    const audio = Object.values(mediaGroups.AUDIO.audio)[0]?.playlists[0]
    return { video: playlists[0]?.contentProtection, audio: audio?.contentProtection }
  }

  it('has the key id and the key system', () => {
    const { video, audio } = read(streamWith(clearKey))
    expect(video?.['mp4protection']?.attributes).toMatchObject({
      value: 'cbcs',
      'cenc:default_KID': 'a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1',
    })
    expect(audio?.['mp4protection']?.attributes['cenc:default_KID']).toMatch(/^b2b2b2b2-/)
    for (const track of [video, audio]) {
      const pssh = Buffer.from(track?.['org.w3.clearkey']?.pssh ?? [])
      expect(pssh).toEqual(commonPssh(kids))
    }
  })

  it('contains the elements of a DRM provider', () => {
    const stream = streamWith(drmProvider)
    const { video } = read(stream)
    expect(video?.['com.widevine.alpha']?.pssh).toBeDefined()
    expect(writeDash(stream)).toContain('<x:pro xmlns:x="urn:maker">Zm9v</x:pro>')
  })

  it('has no ContentProtection for an unencrypted video', () => {
    expect(writeDash(smallStream)).not.toMatch(/cenc|ContentProtection/)
  })
})

type Protections = Record<string, { attributes: Record<string, string>; pssh?: Uint8Array }>
type ReadPlaylist = { readonly contentProtection?: Protections }
type Read = {
  readonly playlists: readonly ReadPlaylist[]
  readonly mediaGroups: { AUDIO: { audio: Record<string, { playlists: ReadPlaylist[] }> } }
}

it('commonPssh equals the box that the packager writes', () => {
  const packaged =
    '00000044707373680100000010 77efecc0b24d02ace33c1e52e2fb4b 00000002 10112233445566778899aabbccddeeff 00112233445566778899aabbccddeeff 00000000'
  const [one, other] = ['10112233445566778899aabbccddeeff', '00112233445566778899aabbccddeeff']
  const pssh = commonPssh([Buffer.from(one, 'hex'), Buffer.from(other, 'hex')])
  expect(pssh.toString('hex')).toBe(packaged.replaceAll(' ', ''))
})
