import fc from 'fast-check'
import hls from 'hls-parser'
import { describe, expect, it } from 'vitest'
import { writeIframePlaylist, writeMediaPlaylist, writeSubtitlePlaylist } from './hls/hls-media.ts'
import { writeMultivariant } from './hls/hls-multivariant.ts'
import { anyStream, listed, smallStream } from './stream.fixtures.ts'
import type { Growth, Stream, StreamTrack } from './stream.ts'

const growing: Stream = { ...smallStream, growth: 'growing' }
const [small, large] = smallStream.video
if (!small || !large) throw new Error('no video')

function readMedia(text: string) {
  const read = hls.parse(text)
  if (read.isMasterPlaylist) throw new Error('not a media playlist')
  return read
}

/** Checks that the sum of the segment durations in a playlist is never off by a microsecond or more. */
function expectDurationsOf(track: StreamTrack, read: ReturnType<typeof readMedia>): void {
  let [written, real] = [0, 0]
  for (const [index, { duration }] of read.segments.entries()) {
    expect(Math.round(duration)).toBeLessThanOrEqual(read.targetDuration)
    written += duration
    real += track.segments[index]?.seconds ?? 0
    expect(Math.abs(written - real)).toBeLessThan(1e-6)
  }
}

describe('multivariant playlist', () => {
  it('matches the expected text', () => {
    expect(writeMultivariant(listed(smallStream))).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="de",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="audio.m3u8"
#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="Deutsch 'auto' & mehr",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog",URI="subtitles-de-auto.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=368001,AVERAGE-BANDWIDTH=341221,CODECS="avc1.64000d,mp4a.40.2",RESOLUTION=426x240,FRAME-RATE=30.000,VIDEO-RANGE=SDR,AUDIO="audio",SUBTITLES="subtitles",CLOSED-CAPTIONS=NONE
240p.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=2128001,AVERAGE-BANDWIDTH=1994554,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=30.000,VIDEO-RANGE=SDR,AUDIO="audio",SUBTITLES="subtitles",CLOSED-CAPTIONS=NONE
720p.m3u8
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=40000,AVERAGE-BANDWIDTH=36000,CODECS="avc1.64000d",RESOLUTION=426x240,VIDEO-RANGE=SDR,URI="240p-iframes.m3u8"
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=320000,AVERAGE-BANDWIDTH=226667,CODECS="avc1.64001f",RESOLUTION=1280x720,VIDEO-RANGE=SDR,URI="720p-iframes.m3u8"
`)
  })

  it('makes players start at the beginning of an incomplete video, and declares its maximum bitrate', () => {
    const text = writeMultivariant(listed(growing))
    expect(text).toContain('\n#EXT-X-START:TIME-OFFSET=0.001\n')
    expect(text).toContain(`BANDWIDTH=${400_000 + 128_001},`)
  })

  it('has the URI of the chapters if the video has chapters', () => {
    const text = writeMultivariant({ ...listed(smallStream), chaptersUri: 'chapters.json' })
    expect(text).toContain('\n#EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.chapters",URI="chapters.json"\n')
    expect(writeMultivariant(listed(smallStream))).not.toContain('SESSION-DATA')
  })

  it('links to playlists in a folder if there is one', () => {
    const text = writeMultivariant({ ...listed(smallStream), folder: 'v2/' })
    const uris = [...text.matchAll(/URI="([^"]*)"|^(\w.*)$/gm)].map(([, quoted, line]) => quoted ?? line ?? '')
    expect(uris.length).toBeGreaterThan(4)
    expect(uris.filter((uri) => !uri.startsWith('v2/'))).toEqual([])
  })

  it('has no audio group, subtitle group or audio codec for a video without audio and subtitles', () => {
    const text = writeMultivariant({ ...listed(smallStream), audio: null, subtitles: [] })
    expect(text).not.toMatch(/AUDIO|SUBTITLES|mp4a|#EXT-X-MEDIA:/)
    expect(text).toContain('CODECS="avc1.64000d",')
  })

  it('has no I-frame playlists for a video without keyframes', () => {
    const { video, ...rest } = listed(smallStream)
    const without = video.map((track) => ({ ...track, keyframeRates: null }))
    expect(writeMultivariant({ ...rest, video: without })).not.toContain('I-FRAME')
  })

  it('makes the names of subtitles unique', () => {
    const [track] = smallStream.subtitles
    if (!track) throw new Error('no subtitles')
    const twice = [track, { ...track, name: 'de-2', label: 'Deutsch “auto”' }, { ...track, name: 'de-3' }]
    const names = writeMultivariant({ ...listed(smallStream), subtitles: twice }).matchAll(/,NAME="([^"]+)"/g)
    expect([...names].map(([, name]) => name)).toEqual([
      'de',
      "Deutsch 'auto' & mehr",
      'Deutsch “auto”',
      "Deutsch 'auto' & mehr (2)",
    ])
  })

  it('has the same content when an independent parser reads it', () => {
    fc.assert(
      fc.property(anyStream, (stream) => {
        const read = hls.parse(writeMultivariant(listed(stream)))
        if (!read.isMasterPlaylist) throw new Error('not a multivariant playlist')
        const variants = read.variants.filter(({ isIFrameOnly }) => !isIFrameOnly)
        expect(variants.map(({ uri, resolution }) => [uri, resolution?.height])).toEqual(
          stream.video.map(({ name, height }) => [`${name}.m3u8`, height]),
        )
        expect(read.variants).toHaveLength(2 * stream.video.length)
        for (const { audio, subtitles, averageBandwidth = 0, bandwidth } of variants) {
          expect(audio).toHaveLength(stream.audio ? 1 : 0)
          expect(subtitles.map(({ uri, language }) => [uri, language])).toEqual(
            stream.subtitles.map(({ name, language }) => [`subtitles-${name}.m3u8`, language]),
          )
          expect(new Set(subtitles.map(({ name }) => name)).size).toBe(stream.subtitles.length)
          expect(bandwidth).toBeGreaterThanOrEqual(averageBandwidth)
        }
      }),
    )
  })
})

describe('media playlist', () => {
  it('matches the expected text', () => {
    expect(writeMediaPlaylist(smallStream, small)).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="video-encode-1/240p/init.mp4"
#EXTINF:4.000000,
video-encode-1/240p/00000.m4s
#EXTINF:2.000000,
video-encode-2/240p/00001.m4s
#EXT-X-ENDLIST
`)
  })

  it('matches the expected text for a video that is still being encoded', () => {
    const audio = smallStream.audio as StreamTrack
    const opening = { ...audio, segments: audio.segments.slice(0, 1) }
    expect(writeMediaPlaylist(growing, opening)).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:EVENT
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-START:TIME-OFFSET=0.001
#EXT-X-MAP:URI="video-encode-1/audio/init.mp4"
#EXTINF:4.010667,
video-encode-1/audio/00000.m4s
`)
  })

  it('has a key and an IV for every segment of an encrypted video, after the EXT-X-MAP tag', () => {
    const encrypted = {
      ...small,
      segments: small.segments.map((segment, index) => ({
        ...segment,
        key: { uri: `keys/${index}.key`, iv: `${index}`.repeat(32) },
      })),
    }
    const text = writeMediaPlaylist(smallStream, encrypted)
    expect(text).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="video-encode-1/240p/init.mp4"
#EXT-X-KEY:METHOD=AES-128,URI="keys/0.key",IV=0x00000000000000000000000000000000
#EXTINF:4.000000,
video-encode-1/240p/00000.m4s
#EXT-X-KEY:METHOD=AES-128,URI="keys/1.key",IV=0x11111111111111111111111111111111
#EXTINF:2.000000,
video-encode-2/240p/00001.m4s
#EXT-X-ENDLIST
`)
    expect(readMedia(text).segments.map(({ key }) => [key?.method, key?.uri])).toEqual([
      ['AES-128', 'keys/0.key'],
      ['AES-128', 'keys/1.key'],
    ])
  })

  it('has all segments and durations when an independent parser reads it', () => {
    fc.assert(
      fc.property(anyStream, (stream) => {
        for (const track of [...stream.video, ...(stream.audio ? [stream.audio] : [])]) {
          const read = readMedia(writeMediaPlaylist(stream, track))
          expect(read.endlist).toBe(stream.growth !== 'growing')
          expect(read.playlistType).toBe(stream.growth === 'whole' ? 'VOD' : 'EVENT')
          expect(read.segments.map(({ uri }) => uri)).toEqual(track.segments.map(({ uri }) => uri))
          expect(read.segments[0]?.map?.uri).toBe(track.initUri)
          expectDurationsOf(track, read)
        }
      }),
    )
  })

  it('changes only at its end until the video is complete, even if encoding stops and continues', () => {
    fc.assert(
      fc.property(anyStream, fc.nat(), (stream, some) => {
        for (const track of [...stream.video, ...(stream.audio ? [stream.audio] : [])]) {
          const write = (growth: Growth, count?: number) =>
            writeMediaPlaylist({ ...stream, growth }, { ...track, segments: track.segments.slice(0, count) })
          const count = 1 + (some % track.segments.length)
          const before = write('growing', count)
          expect(write('stopped', count)).toBe(`${before}#EXT-X-ENDLIST\n`)
          expect(write('growing').startsWith(before)).toBe(true)
        }
      }),
    )
  })

  it('has the planned target duration, even if the segments are shorter', () => {
    const short = { ...small, segments: small.segments.slice(1) }
    expect(readMedia(writeMediaPlaylist(growing, short)).targetDuration).toBe(4)
    const frames = { ...growing, keyframeSeconds: 4 }
    expect(readMedia(writeIframePlaylist(frames, short)).targetDuration).toBe(4)
  })
})

describe('I-frame playlist', () => {
  it('matches the expected text', () => {
    expect(writeIframePlaylist(smallStream, small)).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:2
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-I-FRAMES-ONLY
#EXT-X-MAP:URI="video-encode-1/240p/init.mp4"
#EXTINF:2.000000,
#EXT-X-BYTERANGE:9000@0
video-encode-1/240p/00000.m4s
#EXTINF:2.000000,
#EXT-X-BYTERANGE:8000@50000
video-encode-1/240p/00000.m4s
#EXTINF:2.000000,
#EXT-X-BYTERANGE:10000@0
video-encode-2/240p/00001.m4s
#EXT-X-ENDLIST
`)
  })

  it('lists the keyframes when an independent parser reads it', () => {
    const read = readMedia(writeIframePlaylist({ ...smallStream, keyframeSeconds: 4 }, large))
    expect(read.isIFrame).toBe(true)
    expect(read.segments.map(({ byterange }) => byterange)).toEqual([
      { length: 90_000, offset: 0 },
      { length: 80_000, offset: 0 },
    ])
  })
})

describe('subtitle playlist', () => {
  it('lists a single file with the duration of the video', () => {
    const [track] = smallStream.subtitles
    if (!track) throw new Error('no subtitles')
    expect(writeSubtitlePlaylist(smallStream, track)).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:6
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:VOD
#EXTINF:6.000000,
video-subtitles-7/de.vtt
#EXT-X-ENDLIST
`)
  })
})
