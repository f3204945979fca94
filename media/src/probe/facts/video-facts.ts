import type { FfprobeStream } from '../ffprobe-document.ts'
import { displaySize, type Rotation, rotationOf, usableAspect } from './frame-size.ts'
import { type Rational, readRational, toNumber } from './rational.ts'

export type DynamicRange = 'sdr' | 'hdr10' | 'hlg' | 'dolby_vision'

export type VideoFacts = {
  readonly streamIndex: number
  readonly codec: string
  readonly profile?: string
  readonly pixelFormat?: string
  readonly bitDepth: number
  /** Size as encoded, before rotation and the sample aspect ratio are applied. */
  readonly storedWidth: number
  readonly storedHeight: number
  /** Size as displayed, after rotation and the sample aspect ratio are applied. */
  readonly width: number
  readonly height: number
  /** Clockwise rotation. */
  readonly rotationDegrees: Rotation
  readonly sampleAspect: Rational
  /** Average frame rate; absent if unknown. */
  readonly frameRate?: Rational
  readonly isVariableFrameRate: boolean
  readonly isInterlaced: boolean
  /** Field order as FFmpeg reports it: "tt", "bb", "tb" or "bt" for interlaced video. */
  readonly fieldOrder?: string
  readonly dynamicRange: DynamicRange
  readonly colourRange?: string
  readonly colourSpace?: string
  readonly colourTransfer?: string
  readonly colourPrimaries?: string
  readonly bitrate?: number
  readonly startSeconds: number
  readonly frames?: number
}

/** Reads a video stream. Undefined if the header has no frame size. */
export function readVideo(stream: FfprobeStream): VideoFacts | undefined {
  const { width, height } = stream
  if (!isPixels(width) || !isPixels(height)) return undefined
  const rotationDegrees = rotationOf(stream.side_data_list?.find(({ rotation }) => rotation)?.rotation)
  const sampleAspect = usableAspect(readRational(stream.sample_aspect_ratio))
  const displayed = displaySize({ width, height }, sampleAspect, rotationDegrees)
  const isInterlaced = interlacedOrders.includes(stream.field_order ?? '')
  return withoutUndefined({
    streamIndex: stream.index,
    codec: stream.codec_name ?? 'unknown',
    profile: stream.profile,
    pixelFormat: stream.pix_fmt,
    bitDepth: bitDepthOf(stream),
    ...{ storedWidth: width, storedHeight: height, ...displayed },
    ...{ rotationDegrees, sampleAspect },
    ...rateOf(stream, isInterlaced),
    isInterlaced,
    fieldOrder: stream.field_order,
    dynamicRange: dynamicRangeOf(stream),
    ...colorsOf(stream),
    bitrate: stream.bit_rate,
    startSeconds: stream.start_time ?? 0,
    frames: stream.nb_frames,
  })
}

const isPixels = (side: number | undefined): side is number =>
  side !== undefined && Number.isSafeInteger(side) && side > 0

const interlacedOrders = ['tt', 'bb', 'tb', 'bt']

const colorsOf = (stream: FfprobeStream) => ({
  colourRange: stream.color_range,
  colourSpace: stream.color_space,
  colourTransfer: stream.color_transfer,
  colourPrimaries: stream.color_primaries,
})

function dynamicRangeOf({ side_data_list = [], color_transfer }: FfprobeStream): DynamicRange {
  if (side_data_list.some(({ side_data_type }) => side_data_type?.startsWith('DOVI'))) return 'dolby_vision'
  if (color_transfer === 'smpte2084') return 'hdr10'
  return color_transfer === 'arib-std-b67' ? 'hlg' : 'sdr'
}

const BIT_DEPTH_MAX = 32

/** Reads the bit depth from the name of the pixel format ("yuv420p10le"), otherwise uses the codec's own value. */
function bitDepthOf({ pix_fmt = '', bits_per_raw_sample }: FfprobeStream): number {
  const named = /(?:p|gray|gbrp|gbrap|p0|x2rgb|x2bgr)(9|10|12|14|16|32)(?:le|be)$/.exec(pix_fmt)?.[1]
  if (named) return Number(named)
  const declared = bits_per_raw_sample ?? 0
  return Number.isInteger(declared) && declared > 0 && declared <= BIT_DEPTH_MAX ? declared : 8
}

/** If the base rate and the average differ by more than this, the frame rate is variable. */
const RATE_TOLERANCE = 0.02

function rateOf(stream: FfprobeStream, isInterlaced: boolean) {
  const average = readRational(stream.avg_frame_rate)
  const base = readRational(stream.r_frame_rate)
  if (!average || !base) return { frameRate: average ?? base, isVariableFrameRate: false }
  const ratio = toNumber(base) / toNumber(average)
  const isEven = Math.abs(ratio - 1) <= RATE_TOLERANCE
  // For interlaced video, the base rate may count fields.
  const isFields = isInterlaced && Math.abs(ratio - 2) <= 2 * RATE_TOLERANCE
  return { frameRate: average, isVariableFrameRate: !isEven && !isFields }
}

/** Removes undefined values, because the result becomes JSON. */
function withoutUndefined<Facts extends object>(facts: Facts) {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Facts]: Exclude<Facts[Name], undefined>
  }
}
