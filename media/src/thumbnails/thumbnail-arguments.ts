/** Command lines of ffmpeg for thumbnails and storyboards. Pure. */
import { SAMPLE_HEIGHT, SAMPLE_WIDTH } from './frame-score.ts'
import type { Storyboard } from './storyboard.ts'

/** Reads our own renditions: only MP4, and only keyframes are decoded. */
const readKeyframes = (address: string) => [
  ...['-hide_banner', '-nostdin', '-y', '-loglevel', 'error'],
  ...['-protocol_whitelist', 'file', '-format_whitelist', 'mov', '-skip_frame', 'nokey'],
  ...['-i', address],
]

/** Keeps every frame: none is repeated or dropped. */
const keepAllFrames = ['-fps_mode', 'passthrough']

const sampleFilter = `scale=${SAMPLE_WIDTH}:${SAMPLE_HEIGHT},format=rgb24`

/** Creates the sheets of a storyboard or filmstrip, and a small copy of each frame for scoring. */
export function storyboardArguments(
  address: string,
  { tile, columns, rows }: Storyboard,
  output: { readonly sheets: string; readonly samples: string },
): string[] {
  const graph = [
    '[0:v:0]split[tiles][samples]',
    `[tiles]scale=${tile.width}:${tile.height},tile=${columns}x${rows}[sheet]`,
    `[samples]${sampleFilter}[sample]`,
  ]
  return [
    ...readKeyframes(address),
    ...['-filter_complex', graph.join(';')],
    ...['-map', '[sheet]', ...keepAllFrames, '-q:v', '4', output.sheets],
    ...['-map', '[sample]', ...keepAllFrames, '-f', 'rawvideo', output.samples],
  ]
}

/** Creates a small copy of every frame. */
export const sampleArguments = (address: string, output: string): string[] => [
  ...['-hide_banner', '-nostdin', '-y', '-loglevel', 'error'],
  ...['-protocol_whitelist', 'file', '-format_whitelist', 'mov', '-i', address, '-map', '0:v:0'],
  ...['-vf', sampleFilter, ...keepAllFrames, '-f', 'rawvideo', output],
]

/** Encodes the first frame at or after this time as a JPEG. */
export const frameArguments = (
  address: string,
  { width, height, offsetSeconds }: { readonly width: number; readonly height: number; readonly offsetSeconds: number },
  output: string,
) => [
  ...['-hide_banner', '-nostdin', '-y', '-loglevel', 'error'],
  ...['-protocol_whitelist', 'file', '-format_whitelist', 'mov', '-i', address],
  // As an option of the output: all frames before it are decoded, so the frame is exact.
  ...['-ss', offsetSeconds.toFixed(6), '-vf', `scale=${width}:${height}`],
  ...['-frames:v', '1', '-q:v', '3', output],
]

/** Larger images are refused before they are decoded. */
const IMAGE_PIXELS_MAX = 40_000_000

/** Encodes an image of an unknown source as a JPEG. Only formats that every browser writes are read. */
export function imageArguments(address: string, longSideMax: number, output: string): string[] {
  const [width, height] = [`if(gte(iw,ih),min(iw,${longSideMax}),-2)`, `if(gte(iw,ih),-2,min(ih,${longSideMax}))`]
  return [
    ...['-hide_banner', '-nostdin', '-y', '-loglevel', 'error', '-protocol_whitelist', 'file'],
    ...['-format_whitelist', 'jpeg_pipe,png_pipe,webp_pipe', '-codec_whitelist', 'mjpeg,png,webp'],
    ...['-max_pixels', String(IMAGE_PIXELS_MAX), '-i', address],
    ...['-vf', `scale='${width}':'${height}',format=yuvj420p`, '-frames:v', '1', '-q:v', '3', output],
  ]
}

/** Encodes the first keyframe as a JPEG. */
export const thumbnailArguments = (
  address: string,
  size: { readonly width: number; readonly height: number },
  output: string,
) => [
  ...readKeyframes(address),
  ...['-vf', `scale=${size.width}:${size.height}`, ...keepAllFrames],
  ...['-frames:v', '1', '-q:v', '3', output],
]
