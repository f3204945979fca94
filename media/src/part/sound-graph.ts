import type { SoundOfPart } from './part-tracks.ts'
import { AAC_FRAME_SAMPLES, type FrameRange } from './places.ts'

/** An AAC frame is decoded with the one before it, and encoded with an eye on its neighbours. */
const FRAMES_BEFORE = 4
const FRAMES_AFTER = 3

/** What a resampler hears behind the end, and no more: into a gap of a hundred days it would put silence. */
const SECONDS_BEHIND = 1

/**
 * Where frames of 1,024 samples at 48 kHz begin with a sample at 44.1 kHz, too: a resampler that
 * begins there is in step with every other.
 */
const FRAMES_IN_STEP = 5

/** What is encoded for a part: more than is kept. Before the video there is silence. */
export const encodedSounds = ({ frames }: SoundOfPart): FrameRange => ({
  start: Math.floor((frames.start - FRAMES_BEFORE) / FRAMES_IN_STEP) * FRAMES_IN_STEP,
  end: frames.end + FRAMES_AFTER,
})

/**
 * From the source's sound to that of a part, called [a]: exactly as many samples as are to be
 * encoded, from their place on. Where the source has none (yet, or any more) there is silence,
 * which lies under all of it.
 */
export function soundGraph(sound: SoundOfPart): string {
  const { streamIndex, sampleRate, channels, isFromMono } = sound.audio
  const { start, end } = encodedSounds(sound)
  const first = start * AAC_FRAME_SAMPLES
  const last = end * AAC_FRAME_SAMPLES
  const layout = channels === 1 ? 'mono' : 'stereo'
  const source = [
    smoothTimes,
    `atrim=start=${(first / sampleRate).toFixed(6)}:end=${(last / sampleRate + SECONDS_BEHIND).toFixed(6)}`,
    `aresample=${sampleRate}`,
    `aresample=async=1000:first_pts=${first}`,
    // By itself ffmpeg takes 3 dB off a channel that becomes two; players that are given the one do not.
    ...(isFromMono && channels === 2 ? ['pan=stereo|c0=c0|c1=c0'] : []),
    `aformat=sample_fmts=fltp:channel_layouts=${layout}`,
    holdDown,
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
 * Six channels that become two may be more than twice as loud as anything can be, and would be cut
 * off. What goes too far is made quieter for a moment; anything else, and all that was stereo,
 * passes bit by bit. It has let go again (50 ms) before the part begins, so that it makes no seam.
 */
const holdDown = 'alimiter=limit=1:level=0:attack=5:release=50:latency=1'

/**
 * Matroska and others tell times in milliseconds: a frame's is half of one off, another by another,
 * and two runs that begin with different ones would not fit. On average they are right. A jump of
 * 50 ms and more is one, and is followed.
 */
const smoothTimes = [
  "asetpts='",
  'if(gt(abs(PTS-NB_CONSUMED_SAMPLES-ld(0)),SR/20)+eq(N,0)',
  ',st(0,PTS-NB_CONSUMED_SAMPLES)',
  ',st(0,ld(0)+(PTS-NB_CONSUMED_SAMPLES-ld(0))/32))',
  ';NB_CONSUMED_SAMPLES+round(ld(0))',
  "'",
].join('')
