/** Plans the audio: one stream, in stereo, which every player supports. */
import type { AudioFacts } from '../probe/facts/probe-facts.ts'
import type { AudioPlan } from './plan.ts'

const AUDIO_BITRATE = 128_000
const AUDIO_SAMPLE_RATE = 48_000
const AUDIO_CHANNELS = 2

/** Plans the stream that players would choose: the file's default, else its first. Null if there is no audio. */
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

/** False for streams without channels or with an unknown codec, which are skipped. */
const isAudible = ({ channels, codec }: AudioFacts) => channels > 0 && codec !== 'unknown'
