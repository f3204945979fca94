import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anAudio, aProbe } from '../../testing/probes.ts'
import { toNumber } from '../probe/facts/rational.ts'
import { rungNames } from './plan.ts'
import { planVideo } from './plan-video.ts'

describe('planVideo', () => {
  it('returns all parameters for encoding a video', () => {
    const probe = aProbe({ durationSeconds: 9.6, video: { width: 1280, height: 720 } })
    expect(planVideo(probe, { resolutions: ['1080p', '720p', '240p'] })).toEqual({
      durationSeconds: 9.6,
      frameRate: { numerator: 30, denominator: 1 },
      frames: 288,
      gopFrames: 60,
      segmentFrames: 120,
      segments: 3,
      picture: {
        streamIndex: 0,
        isDeinterlaced: false,
        isToneMapped: false,
        inputMatrix: 'bt709',
      },
      audio: { streamIndex: 1, bitrate: 128_000, sampleRate: 48_000, channels: 2 },
      rungs: [
        {
          ...{ name: '240p', width: 426, height: 240, crf: 25, bitrateMax: 405_000 },
          reason: 'Requested; the source is 720 pixels high.',
        },
        {
          ...{ name: '720p', width: 1280, height: 720, crf: 23, bitrateMax: 2_352_000 },
          reason: 'Requested; the source is 720 pixels high.',
        },
      ],
      leftOut: [
        {
          name: '1080p',
          reason: 'The source is only 720 pixels high, and videos are not upscaled.',
        },
      ],
      parts: [
        {
          number: 0,
          tracks: [
            { name: '240p', segments: { start: 0, end: 2 } },
            { name: 'audio', segments: { start: 0, end: 2 } },
          ],
        },
        {
          number: 1,
          tracks: [
            { name: '240p', segments: { start: 2, end: 3 } },
            { name: '720p', segments: { start: 0, end: 3 } },
            { name: 'audio', segments: { start: 2, end: 3 } },
          ],
        },
      ],
    })
  })

  it('encodes a source with 50 fields per second at 25 fps', () => {
    const video = {
      isInterlaced: true,
      fieldOrder: 'tt',
      frameRate: { numerator: 25, denominator: 1 },
    }
    const plan = planVideo(aProbe({ video }), { resolutions: ['480p'] })
    expect(plan).toMatchObject({ frameRate: { numerator: 25 }, picture: { isDeinterlaced: true } })
  })
})

const side = fc.oneof(fc.integer({ min: 2, max: 8192 }), fc.constantFrom(240, 479, 720, 1072, 1080))
const rate = fc.oneof(
  fc.constantFrom({ numerator: 24_000, denominator: 1001 }, { numerator: 120, denominator: 1 }),
  fc.record({
    numerator: fc.integer({ min: 1, max: 9_999_999_999 }),
    denominator: fc.integer({ min: 1, max: 9_999_999_999 }),
  }),
)
const video = fc.record({
  width: side,
  height: side,
  isVariableFrameRate: fc.boolean(),
  isInterlaced: fc.boolean(),
  codec: fc.constantFrom('h264', 'av1', 'mpeg2video'),
})
/** Unknown values are absent rather than undefined, as in a probe. */
const optionalFacts = fc.record({ frameRate: rate, bitrate: fc.nat() }, { requiredKeys: [] })
const probes = fc
  .record({
    durationSeconds: fc.oneof(
      fc.double({ min: 0.1, max: 30, noNaN: true }),
      fc.double({ min: 0.1, max: 86_400, noNaN: true }),
    ),
    bytes: fc.integer({ min: 1, max: 2 ** 40 }),
    audio: fc.array(fc.record({ streamIndex: fc.nat(99), channels: fc.nat(8), isDefault: fc.boolean() }).map(anAudio), {
      maxLength: 3,
    }),
    video: fc.tuple(video, optionalFacts).map(([required, optional]) => ({ ...required, ...optional })),
  })
  .map(aProbe)
const anyOptions = fc
  .subarray([...rungNames], { minLength: 1 })
  .map((resolutions) => ({ resolutions: resolutions.toReversed() }))

describe('planVideo for any video and any requested resolutions', () => {
  const forAnyPlan = (check: (plan: ReturnType<typeof planVideo>, probe: ReturnType<typeof aProbe>) => void) =>
    fc.assert(fc.property(probes, anyOptions, (probe, options) => check(planVideo(probe, options), probe)))

  it('each requested rung is encoded or skipped, with a reason', () => {
    fc.assert(
      fc.property(probes, anyOptions, (probe, options) => {
        const { rungs, leftOut } = planVideo(probe, options)
        expect(rungs.length).toBeGreaterThanOrEqual(1)
        const all = [...rungs, ...leftOut]
        expect(all.map(({ name }) => name).toSorted()).toEqual(options.resolutions.toSorted())
        for (const { reason } of all) expect(reason).toMatch(/^[A-Z].+\.$/)
      }),
    )
  })

  it('rungs increase in pixels and bitrate, and do not exceed the source', () => {
    forAnyPlan(({ rungs }, { video: { width, height } }) => {
      for (const [index, rung] of rungs.entries()) {
        expect(rung.width % 2 || rung.height % 2).toBe(0)
        expect(rung.width).toBeLessThanOrEqual(width)
        expect(rung.height).toBeLessThanOrEqual(height)
        const smaller = rungs[index - 1]
        if (!smaller) continue
        expect(rung.width * rung.height).toBeGreaterThan(smaller.width * smaller.height)
        expect(rung.bitrateMax).toBeGreaterThanOrEqual(smaller.bitrateMax)
      }
    })
  })

  it('every rung conforms to H.264 level 5.2', () => {
    forAnyPlan(({ rungs, frameRate }) => {
      for (const { width, height, bitrateMax } of rungs) {
        const macroblocks = Math.ceil(width / 16) * Math.ceil(height / 16)
        expect(macroblocks).toBeLessThanOrEqual(36_864)
        expect(macroblocks * toNumber(frameRate)).toBeLessThanOrEqual(2_073_600)
        expect(bitrateMax).toBeLessThanOrEqual(240_000_000)
      }
    })
  })

  it('the video is as long as its source, within one frame', () => {
    forAnyPlan((plan, { durationSeconds }) => {
      const sourceFrames = durationSeconds * toNumber(plan.frameRate)
      expect(Math.abs(plan.frames - sourceFrames)).toBeLessThanOrEqual(1)
    })
  })

  it('segments start at keyframes, and each has at least one frame', () => {
    forAnyPlan((plan) => {
      expect(plan.segmentFrames % plan.gopFrames).toBe(0)
      const last = plan.frames - (plan.segments - 1) * plan.segmentFrames
      expect(last).toBeGreaterThanOrEqual(1)
      expect(last).toBeLessThanOrEqual(plan.segmentFrames)
    })
  })

  it('the parts contain every segment of every track once', () => {
    forAnyPlan(({ parts, rungs, audio, segments }) => {
      const made = parts
        .flatMap(({ tracks }) => tracks)
        .reduce((sums, { name, segments: { start, end } }) => {
          expect(start).toBe(sums.get(name) ?? 0)
          return sums.set(name, end)
        }, new Map<string, number>())
      const tracks = [...rungs.map(({ name }) => name), ...(audio ? ['audio'] : [])]
      expect([...made.keys()].toSorted()).toEqual(tracks.toSorted())
      for (const end of made.values()) expect(end).toBe(segments)
    })
  })

  it('the plan is deterministic, and does not change when it is stored as JSON', () => {
    fc.assert(
      fc.property(probes, anyOptions, (probe, options) => {
        const plan = planVideo(probe, options)
        const again = { resolutions: options.resolutions.toReversed() }
        expect(planVideo(structuredClone(probe), again)).toEqual(plan)
        expect(JSON.parse(JSON.stringify(plan))).toStrictEqual(plan)
      }),
    )
  })
})
