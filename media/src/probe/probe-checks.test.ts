import { describe, expect, it } from 'vitest'
import type { HeaderFacts, Probe } from './facts/probe-facts.ts'
import type { VideoFacts } from './facts/video-facts.ts'
import { checkHeader, checkProbe, interpretExitStatus, unreadableError } from './probe-checks.ts'

const video: VideoFacts = {
  ...{
    streamIndex: 0,
    codec: 'h264',
    bitDepth: 8,
    storedWidth: 1920,
    storedHeight: 1080,
    width: 1920,
    height: 1080,
  },
  ...{
    rotationDegrees: 0,
    sampleAspect: { numerator: 1, denominator: 1 },
    isVariableFrameRate: false,
  },
  ...{ isInterlaced: false, dynamicRange: 'sdr', startSeconds: 0, frames: 250 },
}
const sound = {
  streamIndex: 1,
  codec: 'aac',
  channels: 2,
  sampleRate: 48_000,
  isDefault: true,
  startSeconds: 0,
}
const header = (facts: Partial<HeaderFacts> = {}): HeaderFacts => ({
  ...{
    container: 'mp4',
    startSeconds: 0,
    durationSeconds: 10,
    video,
    audio: [sound],
    subtitles: [],
    chapters: [],
  },
  ...{ clocks: [], streamCount: 2, hasUnreadableVideo: false },
  ...facts,
})
const film = (durationSeconds: number, facts: Partial<VideoFacts> = {}, bytes = 1e9): Probe => ({
  ...{ container: 'mp4', bytes, durationSeconds, video: { ...video, ...facts } },
  ...{ audio: [], subtitles: [], chapters: [] },
})
const codeOf = (check: () => unknown) => {
  try {
    check()
    return 'ok'
  } catch (error) {
    return Reflect.get(error as object, 'code')
  }
}

describe('checkHeader', () => {
  const sized = (storedWidth: number, storedHeight: number) => ({
    ...video,
    storedWidth,
    storedHeight,
  })
  it.each([
    [header(), 'ok'],
    [header({ streamCount: 100 }), 'ok'],
    [header({ streamCount: 101 }), 'too_many_streams'],
    [header({ video: sized(8192, 4320) }), 'ok'],
    [header({ video: sized(4320, 8192) }), 'ok'],
    [header({ video: sized(8192, 4321) }), 'picture_too_large'],
    [header({ video: sized(8193, 16) }), 'picture_too_large'],
    [header({ video: { ...video, width: 9000 } }), 'picture_too_large'],
    [header({ video: { ...video, codec: 'zmbv' } }), 'codec_not_supported'],
    [header({ video: undefined }), 'no_video_stream'],
    [header({ video: undefined, hasUnreadableVideo: true }), 'file_damaged'],
    [header({ video: undefined, audio: [], streamCount: 0 }), 'file_damaged'],
  ])('returns the expected code for case %#: %s', (facts, code) => {
    expect(codeOf(() => checkHeader(facts, ''))).toBe(code)
  })

  it.each([
    [sized(9000, 16), 'The frame size of 9000 × 16 pixels is'],
    [{ ...video, width: 9000 }, 'The frame size, displayed as 9000 × 1080 pixels, is'],
  ])('throws an error with the frame size for case %#', (video, message) => {
    expect(() => checkHeader(header({ video }), '')).toThrow(message)
  })

  it('reports a frame size that FFmpeg refused', () => {
    const facts = header({ video: undefined, hasUnreadableVideo: true })
    expect(codeOf(() => checkHeader(facts, 'Picture size 65535x65535 exceeds specified max pixel count'))).toBe(
      'picture_too_large',
    )
  })
})

describe('checkProbe', () => {
  const DAY = 24 * 3600
  it.each([
    [film(10), 'ok'],
    [film(DAY, { frames: 1e6 }), 'ok'],
    [film(DAY + 1), 'video_too_long'],
    [film(0.1, { frames: 3 }), 'ok'],
    [film(0.099), 'video_too_short'],
    // A frame every ten seconds, for more than a minute, is accepted.
    [film(61, { frames: 7 }), 'ok'],
    [film(61, { frames: 6 }), 'sparse_video'],
    [film(60, { frames: 2 }), 'ok'],
    [film(21_600, { frames: 0, frameRate: { numerator: 1, denominator: 21_600 } }), 'sparse_video'],
    [film(21_600, { frames: 0, frameRate: { numerator: 1, denominator: 1 } }, 2000), 'sparse_video'],
    [film(21_600, { frames: 0, frameRate: { numerator: 1, denominator: 1 } }), 'ok'],
  ])('returns the expected code for case %#: %s', (probe, code) => {
    expect(codeOf(() => checkProbe(probe))).toBe(code)
  })
})

describe('interpretExitStatus', () => {
  const run = (exitStatus: Parameters<typeof interpretExitStatus>[0]['exitStatus'], stderr = '') =>
    interpretExitStatus({ exitStatus, stderr }, 'mp4')

  it('attributes a limit or a crash to the file', () => {
    for (const limit of ['cpu', 'memory', 'output'] as const)
      expect(run({ kind: 'limit', limit })).toMatchObject({ code: 'probe_too_costly' })
    expect(run({ kind: 'crashed', signal: 'SIGSEGV' })).toMatchObject({ code: 'file_damaged' })
  })

  it('treats a timeout as an interruption, because the machine may be overloaded', () => {
    expect(run({ kind: 'limit', limit: 'time' })).toMatchObject({
      name: 'ProbeInterrupted',
      reason: 'too-slow',
      cause: { code: 'probe_too_costly' },
    })
  })

  it('treats too little memory of the worker as an interruption, unless ffprobe names an error of the file', () => {
    const exitStatus = { kind: 'worker-memory', bytes: 300 * 2 ** 20 } as const
    expect(run(exitStatus)).toMatchObject({
      name: 'ProbeInterrupted',
      reason: 'worker-memory',
      message: expect.stringContaining('300 MiB'),
    })
    expect(run(exitStatus, 'Number of streams exceeds max_streams')).toMatchObject({ code: 'too_many_streams' })
  })

  it('recognizes too many streams, which FFmpeg reports as out of memory', () => {
    expect(run({ kind: 'limit', limit: 'memory' }, 'Number of streams exceeds max_streams parameter')).toMatchObject({
      code: 'too_many_streams',
    })
  })

  it('does not attribute a kill, an abort or a failed start to the file', () => {
    for (const [exitStatus, reason] of [
      [{ kind: 'killed', signal: 'SIGKILL' }, 'killed'],
      [{ kind: 'killed', signal: 'SIGSYS' }, 'killed'],
      [{ kind: 'aborted' }, 'aborted'],
      [{ kind: 'not-started', reason: '' }, 'sandbox-failed'],
    ] as const) {
      expect(run(exitStatus)).toMatchObject({ name: 'ProbeInterrupted', reason })
    }
    expect(run({ kind: 'exited', code: 1 })).toBeUndefined()
  })
})

it("unreadableError interprets FFmpeg's error messages", () => {
  expect(unreadableError('moov atom not found', 'mp4')).toMatchObject({
    code: 'file_damaged',
    detail: expect.stringContaining('index'),
  })
  expect(unreadableError("Codec (zmbv) not on whitelist 'h264'", 'avi').code).toBe('codec_not_supported')
  expect(unreadableError('', 'avi')).toMatchObject({
    code: 'file_damaged',
    detail: expect.stringContaining('AVI'),
  })
})
