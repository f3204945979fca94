import type { PartAudio } from '../part-tracks.ts'
import { AAC_FRAME_SAMPLES, type FrameRange } from './frame-ranges.ts'

/** Extra AAC frames before and after a part: encoding and decoding an AAC frame depend on the frames around it. */
const FRAMES_BEFORE = 4
const FRAMES_AFTER = 3

/**
 * Seconds of input after the end of a part, for the resampler. Limited, because the resampler would fill a gap
 * of a hundred days with silence.
 */
const SECONDS_AFTER = 1

/**
 * Every fifth frame of 1,024 samples at 48 kHz starts at a whole sample at 44.1 kHz: resamplers
 * that start there are in phase with each other.
 */
const FRAMES_ALIGNED = 5

/**
 * AAC frames to encode for a part, including extra frames that are dropped afterwards. Frames before the start of
 * the video are silent.
 */
export const encodedAudioFrames = ({ frames }: PartAudio): FrameRange => ({
  start: Math.floor((frames.start - FRAMES_BEFORE) / FRAMES_ALIGNED) * FRAMES_ALIGNED,
  end: frames.end + FRAMES_AFTER,
})

/**
 * Filter graph whose output [a] has exactly the audio samples to encode for a part. Silence is mixed in, so that
 * gaps in the source's audio are silent. The output [peaks] has the same samples in blocks of the length of AAC frames.
 */
export function audioGraph(partAudio: PartAudio): string {
  const { streamIndex, sampleRate, channels, isFromMono } = partAudio.audio
  const { start, end } = encodedAudioFrames(partAudio)
  const first = start * AAC_FRAME_SAMPLES
  const last = end * AAC_FRAME_SAMPLES
  const layout = channels === 1 ? 'mono' : 'stereo'
  const source = [
    smoothTimestamps,
    `atrim=start=${(first / sampleRate).toFixed(6)}:end=${(last / sampleRate + SECONDS_AFTER).toFixed(6)}`,
    `aresample=${sampleRate}`,
    `aresample=async=1000:first_pts=${first}`,
    // ffmpeg attenuates mono by 3 dB when it copies the channel to both stereo channels; players do not.
    ...(isFromMono && channels === 2 ? ['pan=stereo|c0=c0|c1=c0'] : []),
    `aformat=sample_fmts=fltp:channel_layouts=${layout}`,
    limiter,
  ]
  const silence = [
    `anullsrc=sample_rate=${sampleRate}:channel_layout=${layout}`,
    `atrim=end_sample=${(end - start) * AAC_FRAME_SAMPLES}`,
  ]
  return [
    `[0:${streamIndex}]${source.join()}[sound]`,
    `${silence.join()}[silence]`,
    `[silence][sound]amix=duration=first:normalize=0,asetpts=N+${first},asplit[a][all]`,
    `[all]asetnsamples=n=${AAC_FRAME_SAMPLES}:p=0[peaks]`,
  ].join(';')
}

/**
 * Surround mixed to stereo may exceed full scale and would clip. The limiter reduces peaks and passes everything
 * else, including all stereo sources, unchanged. Its release time (50 ms) has passed when the part starts, so
 * that there is no audible seam.
 */
const limiter = 'alimiter=limit=1:level=0:attack=5:release=50:latency=1'

/**
 * Matroska and some other containers store timestamps in milliseconds. Each timestamp is off by up to half a
 * millisecond, so the audio of two runs that start at different frames would not fit together. The average is
 * right, so timestamps are smoothed, except at jumps of 50 ms or more.
 */
const smoothTimestamps = [
  "asetpts='",
  'if(gt(abs(PTS-NB_CONSUMED_SAMPLES-ld(0)),SR/20)+eq(N,0)',
  ',st(0,PTS-NB_CONSUMED_SAMPLES)',
  ',st(0,ld(0)+(PTS-NB_CONSUMED_SAMPLES-ld(0))/32))',
  ';NB_CONSUMED_SAMPLES+round(ld(0))',
  "'",
].join('')
