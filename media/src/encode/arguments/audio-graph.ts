import type { PartAudio } from '../part-tracks.ts'
import { AAC_FRAME_SAMPLES, type FrameRange } from './frame-ranges.ts'

/** An AAC frame is decoded together with the previous one, and encoded with regard to its neighbors. */
const FRAMES_BEFORE = 4
const FRAMES_AFTER = 3

/**
 * Input after the end for the resampler. Limited, because it would fill a gap of a hundred days
 * with silence.
 */
const SECONDS_AFTER = 1

/**
 * Every fifth frame of 1,024 samples at 48 kHz starts at a whole sample at 44.1 kHz: resamplers
 * that start there are in phase with each other.
 */
const FRAMES_ALIGNED = 5

/** AAC frames encoded for a part, more than are kept. Before the start of the video there is silence. */
export const encodedAudioFrames = ({ frames }: PartAudio): FrameRange => ({
  start: Math.floor((frames.start - FRAMES_BEFORE) / FRAMES_ALIGNED) * FRAMES_ALIGNED,
  end: frames.end + FRAMES_AFTER,
})

/**
 * Filter graph from the source's audio to that of a part, [a]: exactly the samples to encode. It is
 * mixed with silence, which is heard where the source has no audio.
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
    // ffmpeg attenuates a mono channel by 3 dB when it is copied to both; players do not.
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
    `[silence][sound]amix=duration=first:normalize=0,asetpts=N+${first}[a]`,
  ].join(';')
}

/**
 * Surround mixed to stereo may exceed full scale and would clip. The limiter reduces peaks and
 * passes everything else, including all stereo sources, unchanged. It has released (50 ms) before
 * the part starts, so that there is no audible seam.
 */
const limiter = 'alimiter=limit=1:level=0:attack=5:release=50:latency=1'

/**
 * Matroska and others store timestamps in milliseconds: each is off by up to half a millisecond,
 * and two runs that start at different frames would not fit. The average is right, so timestamps
 * are smoothed; jumps of 50 ms or more are followed.
 */
const smoothTimestamps = [
  "asetpts='",
  'if(gt(abs(PTS-NB_CONSUMED_SAMPLES-ld(0)),SR/20)+eq(N,0)',
  ',st(0,PTS-NB_CONSUMED_SAMPLES)',
  ',st(0,ld(0)+(PTS-NB_CONSUMED_SAMPLES-ld(0))/32))',
  ';NB_CONSUMED_SAMPLES+round(ld(0))',
  "'",
].join('')
