import type { FfprobeStream } from './ffprobe-document.ts'
import { type Rotation, rotationOf, shownSize, usableAspect } from './picture-size.ts'
import { type Rational, readRational, toNumber } from './rational.ts'

export type DynamicRange = 'sdr' | 'hdr10' | 'hlg' | 'dolby_vision'

export type VideoFacts = {
  readonly streamIndex: number
  readonly codec: string
  readonly profile?: string
  readonly pixelFormat?: string
  readonly bitDepth: number
  /** As the codec keeps the picture, before its pixels are stretched and it is turned. */
  readonly storedWidth: number
  readonly storedHeight: number
  /** As it is shown. */
  readonly width: number
  readonly height: number
  /** Clockwise. */
  readonly rotationDegrees: Rotation
  readonly sampleAspect: Rational
  /** On average; absent where the container does not tell. */
  readonly frameRate?: Rational
  readonly isVariableFrameRate: boolean
  readonly isInterlaced: boolean
  /** FFmpeg's word: "tt", "bb", "tb" or "bt" for interlaced pictures. */
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

/** Undefined if the header does not even tell how large the picture is. */
export function readVideo(stream: FfprobeStream): VideoFacts | undefined {
  const { width, height } = stream
  if (!isPixels(width) || !isPixels(height)) return undefined
  const rotationDegrees = rotationOf(
    stream.side_data_list?.find(({ rotation }) => rotation)?.rotation,
  )
  const sampleAspect = usableAspect(readRational(stream.sample_aspect_ratio))
  const shown = shownSize({ width, height }, sampleAspect, rotationDegrees)
  const isInterlaced = interlacedOrders.includes(stream.field_order ?? '')
  return withoutUndefined({
    streamIndex: stream.index,
    codec: stream.codec_name ?? 'unknown',
    profile: stream.profile,
    pixelFormat: stream.pix_fmt,
    bitDepth: bitDepthOf(stream),
    ...{ storedWidth: width, storedHeight: height, ...shown },
    ...{ rotationDegrees, sampleAspect },
    ...rateOf(stream, isInterlaced),
    isInterlaced,
    fieldOrder: stream.field_order,
    dynamicRange: dynamicRangeOf(stream),
    ...coloursOf(stream),
    bitrate: stream.bit_rate,
    startSeconds: stream.start_time ?? 0,
    frames: stream.nb_frames,
  })
}

const isPixels = (side: number | undefined): side is number =>
  side !== undefined && Number.isSafeInteger(side) && side > 0

const interlacedOrders = ['tt', 'bb', 'tb', 'bt']

const coloursOf = (stream: FfprobeStream) => ({
  colourRange: stream.color_range,
  colourSpace: stream.color_space,
  colourTransfer: stream.color_transfer,
  colourPrimaries: stream.color_primaries,
})

function dynamicRangeOf({ side_data_list = [], color_transfer }: FfprobeStream): DynamicRange {
  if (side_data_list.some(({ side_data_type }) => side_data_type?.startsWith('DOVI')))
    return 'dolby_vision'
  if (color_transfer === 'smpte2084') return 'hdr10'
  return color_transfer === 'arib-std-b67' ? 'hlg' : 'sdr'
}

const BIT_DEPTH_MAX = 32

/**
 * From the name of the pixel format ("yuv420p10le"), which says what is decoded to; the codec's own
 * word for the rest.
 */
function bitDepthOf({ pix_fmt = '', bits_per_raw_sample }: FfprobeStream): number {
  const named = /(?:p|gray|gbrp|gbrap|p0|x2rgb|x2bgr)(9|10|12|14|16|32)(?:le|be)$/.exec(
    pix_fmt,
  )?.[1]
  if (named) return Number(named)
  const said = bits_per_raw_sample ?? 0
  return Number.isInteger(said) && said > 0 && said <= BIT_DEPTH_MAX ? said : 8
}

/** The least rate that fits all times and the average differ by more than rounding: times are uneven. */
const RATE_TOLERANCE = 0.02

function rateOf(stream: FfprobeStream, isInterlaced: boolean) {
  const average = readRational(stream.avg_frame_rate)
  const base = readRational(stream.r_frame_rate)
  if (!average || !base) return { frameRate: average ?? base, isVariableFrameRate: false }
  const ratio = toNumber(base) / toNumber(average)
  const isEven = Math.abs(ratio - 1) <= RATE_TOLERANCE
  // Of interlaced pictures the base rate may count the fields.
  const isFields = isInterlaced && Math.abs(ratio - 2) <= 2 * RATE_TOLERANCE
  return { frameRate: average, isVariableFrameRate: !isEven && !isFields }
}

/** It becomes JSON, which has no undefined. */
function withoutUndefined<Facts extends object>(facts: Facts) {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Facts]: Exclude<Facts[Name], undefined>
  }
}
