import type { OpenedSource } from '../source/opened-source.ts'
import { type Container, containers } from './container/container.ts'
import { videoDecoders } from './facts/codecs.ts'
import { ANALYZED_BYTES, ANALYZED_MICROSECONDS, FRAME_PIXELS_MAX, STREAMS_READ_MAX } from './probe-limits.ts'

export type Input = Pick<OpenedSource, 'address' | 'protocols'>

/** Restricts FFmpeg to the detected container, the protocols of its input, and the allowed decoders. */
export const guardArguments = ({ protocols }: Pick<Input, 'protocols'>, container: Container) => [
  ...['-protocol_whitelist', protocols],
  ...['-format_whitelist', containers[container].demuxer],
  ...['-codec_whitelist:v', videoDecoders],
  ...['-max_pixels', String(FRAME_PIXELS_MAX)],
  ...['-max_streams', String(STREAMS_READ_MAX)],
  ...['-probesize', String(ANALYZED_BYTES)],
  ...['-analyzeduration', String(ANALYZED_MICROSECONDS)],
]
