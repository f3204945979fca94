import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFfprobeDocument } from '../ffprobe-document.ts'
import { readHeaderFacts } from './probe-facts.ts'

const video = { index: 0, codec_type: 'video', codec_name: 'hevc', width: 1920, height: 1080 }
const factsOf = (document: object) => {
  const read = readFfprobeDocument(JSON.stringify(document))
  return read && readHeaderFacts(read, 'mp4')
}
const videoOf = (fields: object) => factsOf({ streams: [{ ...video, ...fields }], format: {} })?.video

describe('readHeaderFacts', () => {
  it.each([
    [{}, 'sdr'],
    [{ color_transfer: 'bt709' }, 'sdr'],
    [{ color_transfer: 'smpte2084' }, 'hdr10'],
    [{ color_transfer: 'arib-std-b67' }, 'hlg'],
    [
      {
        color_transfer: 'smpte2084',
        side_data_list: [{ side_data_type: 'DOVI configuration record' }],
      },
      'dolby_vision',
    ],
  ])('reads the dynamic range of %j as %s', (fields, dynamicRange) => {
    expect(videoOf(fields)).toMatchObject({ dynamicRange })
  })

  it.each([
    [{ pix_fmt: 'yuv420p' }, 8],
    [{ pix_fmt: 'yuv420p10le' }, 10],
    [{ pix_fmt: 'yuv422p12be' }, 12],
    [{ pix_fmt: 'p010le' }, 10],
    [{ pix_fmt: 'gbrp16le' }, 16],
    [{ pix_fmt: 'nv12' }, 8],
    [{ bits_per_raw_sample: '10' }, 10],
    [{ bits_per_raw_sample: '4000000000' }, 8],
  ])('reads the bit depth of %j as %i', (fields, bitDepth) => {
    expect(videoOf(fields)).toMatchObject({ bitDepth })
  })

  it.each([
    [{ avg_frame_rate: '25/1', r_frame_rate: '25/1' }, false],
    [{ avg_frame_rate: '2997/100', r_frame_rate: '30000/1001' }, false],
    [{ avg_frame_rate: '27/1', r_frame_rate: '60/1' }, true],
    [{ avg_frame_rate: '25/1', r_frame_rate: '50/1', field_order: 'tt' }, false],
    [{ avg_frame_rate: '25/1', r_frame_rate: '50/1' }, true],
    [{ avg_frame_rate: '0/0', r_frame_rate: '25/1' }, false],
  ])('reads whether the frame rate of %j is variable: %s', (fields, isVariableFrameRate) => {
    expect(videoOf(fields)).toMatchObject({ isVariableFrameRate })
  })

  it('reports a video without a frame size as unreadable', () => {
    expect(factsOf({ streams: [{ ...video, width: 0 }] })).toMatchObject({
      video: undefined,
      hasUnreadableVideo: true,
    })
  })

  it('prefers the default video stream', () => {
    const second = { ...video, index: 1, disposition: { default: 1 } }
    expect(factsOf({ streams: [video, second] })?.video).toMatchObject({ streamIndex: 1 })
  })

  it.each([
    ['the longest value is used', { format: { duration: '9.73' }, streams: [{ ...video, duration: '10.0' }] }, 10],
    [
      "Matroska's DURATION tag is used",
      { format: {}, streams: [{ ...video, tags: { DURATION: '00:01:02.500000000' } }] },
      62.5,
    ],
    [
      "Matroska's DURATION tag is ignored if there is another value",
      {
        format: { duration: '9.73' },
        streams: [{ ...video, tags: { DURATION: '01:00:00.000000000' } }],
      },
      9.73,
    ],
    ['an unknown duration is undefined', { format: { duration: 'N/A' }, streams: [video] }, undefined],
    [
      'zero and negative durations are undefined',
      { format: { duration: '0.0' }, streams: [{ ...video, duration: '-3' }] },
      undefined,
    ],
    [
      'the duration of a cover image is ignored',
      { format: {}, streams: [{ ...video, duration: '99', disposition: { attached_pic: 1 } }] },
      undefined,
    ],
  ])('reads the duration: %s', (_, document, seconds) => {
    expect(factsOf(document)?.durationSeconds).toBe(seconds)
  })

  it.each([
    ['ger', 'de'],
    ['deu', 'de'],
    ['en', 'en'],
    ['pt_br', 'pt-BR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['und', undefined],
    ['', undefined],
    ['klingon speech', undefined],
    ['x'.repeat(5000), undefined],
  ])('reads the language %s as %s', (language, clean) => {
    const audio = { index: 1, codec_type: 'audio', codec_name: 'aac', tags: { language } }
    expect(factsOf({ streams: [audio] })?.audio[0]?.language).toBe(clean)
  })

  it('keeps chapters that start before the video', () => {
    const chapters = [{ start_time: '-5.5', end_time: '-0.5', tags: { title: 'a' } }]
    expect(factsOf({ streams: [video], chapters })?.chapters).toEqual([
      { startSeconds: -5.5, endSeconds: -0.5, title: 'a' },
    ])
  })

  it('limits the number of chapters, and cleans and truncates their titles', () => {
    const title = `a\u0007b\u0000\ud800${'🎬'.repeat(1000)}`
    const chapters = Array.from({ length: 5000 }, () => ({
      start_time: '0',
      end_time: '1',
      tags: { title },
    }))
    const facts = factsOf({ streams: [video], chapters })
    expect(facts?.chapters).toHaveLength(1000)
    expect(facts?.chapters[0]?.title).toMatch(/^a b \ufffd🎬+$/u)
    expect([...(facts?.chapters[0]?.title ?? '')].length).toBeLessThanOrEqual(200)
  })
})

describe('arbitrary ffprobe output', () => {
  const odd = fc.oneof(fc.jsonValue(), fc.string(), fc.double(), fc.constant('N/A'), fc.constant('1e999'))
  const stream = fc.record(
    {
      index: fc.oneof(fc.nat(500), odd),
      codec_type: fc.oneof(fc.constantFrom('video', 'audio', 'subtitle'), odd),
      ...{
        codec_name: odd,
        width: fc.oneof(fc.nat(), odd),
        height: fc.oneof(fc.nat(), odd),
        duration: odd,
      },
      ...{
        avg_frame_rate: odd,
        r_frame_rate: odd,
        sample_aspect_ratio: odd,
        disposition: odd,
        tags: odd,
      },
      side_data_list: fc.oneof(odd, fc.array(fc.record({ side_data_type: odd, rotation: odd }))),
    },
    { requiredKeys: ['index', 'codec_type'] },
  )
  const document = fc.record(
    {
      streams: fc.oneof(fc.array(stream), odd),
      chapters: odd,
      format: fc.oneof(fc.record({ duration: odd }), odd),
    },
    { requiredKeys: [] },
  )

  it('results in finite values, or is rejected', () => {
    fc.assert(
      fc.property(document, (written) => {
        const facts = factsOf(written)
        if (!facts) return
        expect(JSON.parse(JSON.stringify(facts.video ?? null))).toEqual(facts.video ?? null)
        expect(Number.isFinite(facts.durationSeconds ?? 1)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('is rejected without an exception if it is invalid JSON', () => {
    fc.assert(fc.property(fc.string(), (text) => void readFfprobeDocument(text)))
    expect(readFfprobeDocument('{ "streams": [')).toBeUndefined()
  })
})
