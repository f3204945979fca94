/** Which sound is made, and how: one, in stereo, as every player has it. */
import type { AudioFacts } from '../probe/probe-facts.ts'
import type { AudioPlan } from './plan.ts'

const AUDIO_BITRATE = 128_000
const AUDIO_SAMPLE_RATE = 48_000
const AUDIO_CHANNELS = 2

/** The one that players would play: the file's default, else its first. Null where there is nothing to be heard. */
export function planAudio(streams: readonly AudioFacts[]): AudioPlan | null {
  const audible = streams.filter(isAudible)
  const stream = audible.find(({ isDefault }) => isDefault) ?? audible[0]
  if (!stream) return null
  return {
    streamIndex: stream.streamIndex,
    bitrate: AUDIO_BITRATE,
    sampleRate: AUDIO_SAMPLE_RATE,
    channels: AUDIO_CHANNELS,
    ...(stream.channels === 1 && { isFromMono: true as const }),
    ...(stream.language !== undefined && { language: stream.language }),
  }
}

/** Announced streams may be empty, or of a kind that nobody knows; the picture is worth showing without them. */
const isAudible = ({ channels, codec }: AudioFacts) => channels > 0 && codec !== 'unknown'
