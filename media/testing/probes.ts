/** Probe results for tests. */
import type { AudioFacts, Probe, VideoFacts } from '../src/probe/facts/probe-facts.ts'

export type VideoChanges = Partial<VideoFacts>

/** A probe of ten seconds of 1920 x 1080 at 30 fps, with stereo audio and a high bitrate. */
export function aProbe({
  video,
  ...changes
}: Partial<Omit<Probe, 'video'>> & { readonly video?: VideoChanges } = {}): Probe {
  return {
    container: 'mp4',
    bytes: 100_000_000,
    durationSeconds: 10,
    audio: [anAudio()],
    subtitles: [],
    chapters: [],
    ...changes,
    video: aVideo(video),
  }
}

export const anAudio = (changes: Partial<AudioFacts> = {}): AudioFacts => ({
  streamIndex: 1,
  codec: 'aac',
  channels: 2,
  sampleRate: 48_000,
  isDefault: false,
  startSeconds: 0,
  ...changes,
})

function aVideo(changes: VideoChanges = {}): VideoFacts {
  const { width = 1920, height = 1080 } = changes
  return {
    streamIndex: 0,
    codec: 'h264',
    bitDepth: 8,
    storedWidth: width,
    storedHeight: height,
    width,
    height,
    rotationDegrees: 0,
    sampleAspect: { numerator: 1, denominator: 1 },
    frameRate: { numerator: 30, denominator: 1 },
    isVariableFrameRate: false,
    isInterlaced: false,
    dynamicRange: 'sdr',
    startSeconds: 0,
    ...changes,
  }
}
