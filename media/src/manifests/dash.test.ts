import fc from 'fast-check'
import { parse } from 'mpd-parser'
import { describe, expect, it } from 'vitest'
import { writeDash } from './dash.ts'
import { anyStream, smallStream } from './stream.fixtures.ts'

const manifestUri = 'https://video.example/play/acme12/asset/manifest.mpd'
const read = (text: string) => parse(text, { manifestUri })

describe('DASH manifest', () => {
  it('matches the expected text', () => {
    expect(writeDash(smallStream)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-main:2011" type="static" mediaPresentationDuration="PT6S" minBufferTime="PT4S">
  <Period id="0" start="PT0S">
    <AdaptationSet id="0" contentType="video" mimeType="video/mp4" maxWidth="1280" maxHeight="720" frameRate="30" sar="1:1" segmentAlignment="true" startWithSAP="1">
      <Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
      <Representation id="240p" bandwidth="240000" codecs="avc1.64000d" width="426" height="240">
        <SegmentList timescale="30">
          <Initialization sourceURL="video-encode-1/240p/init.mp4"/>
          <SegmentTimeline>
            <S t="0" d="120"/>
            <S d="60"/>
          </SegmentTimeline>
          <SegmentURL media="video-encode-1/240p/00000.m4s"/>
          <SegmentURL media="video-encode-2/240p/00001.m4s"/>
        </SegmentList>
      </Representation>
      <Representation id="720p" bandwidth="2000000" codecs="avc1.64001f" width="1280" height="720">
        <SegmentList timescale="30">
          <Initialization sourceURL="video-encode-2/720p/init.mp4"/>
          <SegmentTimeline>
            <S t="0" d="120"/>
            <S d="60"/>
          </SegmentTimeline>
          <SegmentURL media="video-encode-2/720p/00000.m4s"/>
          <SegmentURL media="video-encode-2/720p/00001.m4s"/>
        </SegmentList>
      </Representation>
    </AdaptationSet>
    <AdaptationSet id="1" contentType="audio" mimeType="audio/mp4" lang="de" segmentAlignment="true" startWithSAP="1">
      <Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
      <Representation id="audio" bandwidth="128001" codecs="mp4a.40.2" audioSamplingRate="48000">
        <AudioChannelConfiguration schemeIdUri="urn:mpeg:dash:23003:3:audio_channel_configuration:2011" value="2"/>
        <SegmentList timescale="48000">
          <Initialization sourceURL="video-encode-1/audio/init.mp4"/>
          <SegmentTimeline>
            <S t="0" d="192512"/>
            <S d="96256"/>
          </SegmentTimeline>
          <SegmentURL media="video-encode-1/audio/00000.m4s"/>
          <SegmentURL media="video-encode-2/audio/00001.m4s"/>
        </SegmentList>
      </Representation>
    </AdaptationSet>
    <AdaptationSet id="2" contentType="text" mimeType="text/vtt" lang="de">
      <Role schemeIdUri="urn:mpeg:dash:role:2011" value="caption"/>
      <Label>Deutsch &quot;auto&quot; &amp; mehr</Label>
      <Representation id="subtitles-de-auto" bandwidth="256">
        <BaseURL>video-subtitles-7/de.vtt</BaseURL>
      </Representation>
    </AdaptationSet>
  </Period>
</MPD>
`)
  })

  it('has an S element for every segment, even if they have the same duration', () => {
    const [track] = smallStream.video
    if (!track) throw new Error('no video')
    const segments = [...track.segments, ...track.segments].map((segment) => ({
      ...segment,
      seconds: 4,
    }))
    const text = writeDash({ ...smallStream, video: [{ ...track, segments }], audio: null })
    expect(text.match(/<S .*\/>/g)).toEqual(['<S t="0" d="120"/>', ...Array(3).fill('<S d="120"/>')])
  })

  it('is not written for a video that is still being encoded', () => {
    expect(() => writeDash({ ...smallStream, growth: 'stopped' })).toThrow('whole')
  })

  it('has the same content when an independent parser reads it', () => {
    fc.assert(
      fc.property(anyStream, (stream) => {
        const { playlists, mediaGroups, duration, endList } = read(writeDash({ ...stream, growth: 'whole' }))
        expect(endList).toBe(true)
        expect(duration).toBeCloseTo(stream.durationSeconds, 5)
        expect(playlists.map(({ attributes }) => attributes['NAME'])).toEqual(stream.video.map(({ name }) => name))
        const audio = Object.values(mediaGroups.AUDIO['audio'] ?? {})
        expect(audio.length).toBe(stream.audio ? 1 : 0)
        const tracks = [...stream.video, ...(stream.audio ? [stream.audio] : [])]
        const found = [...playlists, ...audio.flatMap((group) => group.playlists)]
        for (const [index, { segments, initUri }] of tracks.entries()) {
          const listed = found[index]?.segments ?? []
          expect(listed.map(({ uri }) => uri)).toEqual(segments.map(({ uri }) => uri))
          expect(listed[0]?.map.resolvedUri).toBe(new URL(initUri, manifestUri).href)
          for (const [position, { seconds }] of segments.entries()) {
            expect(listed[position]?.duration).toBeCloseTo(seconds, 9)
          }
        }
      }),
    )
  })

  it('escapes labels', () => {
    const [track] = smallStream.subtitles
    if (!track) throw new Error('no subtitles')
    const label = '</Label><BaseURL>https://evil.example/</BaseURL>\u0000\ud800]]>'
    const text = writeDash({ ...smallStream, subtitles: [{ ...track, label }] })
    const { SUBTITLES } = read(text).mediaGroups
    const [group] = Object.values(SUBTITLES['subs'] ?? {})
    expect(group?.playlists[0]?.segments.map(({ uri }) => uri)).toEqual([new URL(track.uri, manifestUri).href])
    expect(text.isWellFormed()).toBe(true)
    expect(text).not.toContain('\u0000')
  })
})
