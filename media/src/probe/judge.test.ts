import { describe, expect, it } from 'vitest'
import { judgeEnding, judgeHeader, judgeProbe, judgeUnread } from './judge.ts'
import type { HeaderFacts, Probe } from './probe-facts.ts'
import type { VideoFacts } from './video-facts.ts'

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
const codeOf = (judge: () => unknown) => {
  try {
    judge()
    return 'fine'
  } catch (error) {
    return Reflect.get(error as object, 'code')
  }
}

describe('judgeHeader', () => {
  const sized = (storedWidth: number, storedHeight: number) => ({
    ...video,
    storedWidth,
    storedHeight,
  })
  it.each([
    [header(), 'fine'],
    [header({ streamCount: 100 }), 'fine'],
    [header({ streamCount: 101 }), 'too_many_streams'],
    [header({ video: sized(8192, 4320) }), 'fine'],
    [header({ video: sized(4320, 8192) }), 'fine'],
    [header({ video: sized(8192, 4321) }), 'picture_too_large'],
    [header({ video: sized(8193, 16) }), 'picture_too_large'],
    [header({ video: { ...video, width: 9000 } }), 'picture_too_large'],
    [header({ video: { ...video, codec: 'zmbv' } }), 'codec_not_supported'],
    [header({ video: undefined }), 'no_video_stream'],
    [header({ video: undefined, hasUnreadableVideo: true }), 'file_damaged'],
    [header({ video: undefined, audio: [], streamCount: 0 }), 'file_damaged'],
  ])('%#: %s', (facts, code) => {
    expect(codeOf(() => judgeHeader(facts, ''))).toBe(code)
  })

  it.each([
    [sized(9000, 16), 'The picture of 9000 × 16 pixels is'],
    [{ ...video, width: 9000 }, 'The picture, shown with 9000 × 1080 pixels, is'],
  ])('%#: names the size that is too large', (video, words) => {
    expect(() => judgeHeader(header({ video }), '')).toThrow(words)
  })

  it('a size that FFmpeg would not take is told as such', () => {
    const facts = header({ video: undefined, hasUnreadableVideo: true })
    expect(
      codeOf(() =>
        judgeHeader(facts, 'Picture size 65535x65535 exceeds specified max pixel count'),
      ),
    ).toBe('picture_too_large')
  })
})

describe('judgeProbe', () => {
  const DAY = 24 * 3600
  it.each([
    [film(10), 'fine'],
    [film(DAY, { frames: 1e6 }), 'fine'],
    [film(DAY + 1), 'video_too_long'],
    [film(0.1, { frames: 3 }), 'fine'],
    [film(0.099), 'video_too_short'],
    // A picture every ten seconds, for a minute.
    [film(61, { frames: 7 }), 'fine'],
    [film(61, { frames: 6 }), 'sparse_video'],
    [film(60, { frames: 2 }), 'fine'],
    [film(21_600, { frames: 0, frameRate: { numerator: 1, denominator: 21_600 } }), 'sparse_video'],
    [
      film(21_600, { frames: 0, frameRate: { numerator: 1, denominator: 1 } }, 2000),
      'sparse_video',
    ],
    [film(21_600, { frames: 0, frameRate: { numerator: 1, denominator: 1 } }), 'fine'],
  ])('%#: %s', (probe, code) => {
    expect(codeOf(() => judgeProbe(probe))).toBe(code)
  })
})

describe('judgeEnding', () => {
  const run = (ending: Parameters<typeof judgeEnding>[0]['ending'], stderr = '') =>
    judgeEnding({ ending, stderr }, 'mp4')

  it('a limit and a crash are the file’s fault', () => {
    for (const limit of ['cpu', 'memory', 'output'] as const)
      expect(run({ kind: 'limit', limit })).toMatchObject({ code: 'probe_too_costly' })
    expect(run({ kind: 'crashed', signal: 'SIGSEGV' })).toMatchObject({ code: 'file_damaged' })
  })

  it('time on the clock may be the machine’s fault as well: there is no verdict yet', () => {
    expect(run({ kind: 'limit', limit: 'time' })).toMatchObject({
      name: 'ProbeInterrupted',
      reason: 'too-slow',
      cause: { code: 'probe_too_costly' },
    })
  })

  it('too many streams look like a want of memory', () => {
    expect(
      run({ kind: 'limit', limit: 'memory' }, 'Number of streams exceeds max_streams parameter'),
    ).toMatchObject({ code: 'too_many_streams' })
  })

  it('what others do is not', () => {
    for (const [ending, reason] of [
      [{ kind: 'killed', signal: 'SIGKILL' }, 'killed'],
      [{ kind: 'killed', signal: 'SIGSYS' }, 'killed'],
      [{ kind: 'aborted' }, 'aborted'],
      [{ kind: 'not-started', reason: '' }, 'sandbox-failed'],
    ] as const) {
      expect(run(ending)).toMatchObject({ name: 'ProbeInterrupted', reason })
    }
    expect(run({ kind: 'exited', code: 1 })).toBeUndefined()
  })
})

it('judgeUnread knows what FFmpeg complains about', () => {
  expect(judgeUnread('moov atom not found', 'mp4')).toMatchObject({
    code: 'file_damaged',
    detail: expect.stringContaining('index'),
  })
  expect(judgeUnread("Codec (zmbv) not on whitelist 'h264'", 'avi').code).toBe(
    'codec_not_supported',
  )
  expect(judgeUnread('', 'avi')).toMatchObject({
    code: 'file_damaged',
    detail: expect.stringContaining('AVI'),
  })
})
