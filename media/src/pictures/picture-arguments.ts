/** How ffmpeg is asked for pictures: pure, so that it can be read whole in a test. */
import { SAMPLE_HEIGHT, SAMPLE_WIDTH } from './liveliness.ts'
import type { Storyboard } from './storyboard.ts'

/** Of what we have made ourselves: nothing but an MP4, and only its keyframes are decoded. */
const readKeyframes = (address: string) => [
  ...['-hide_banner', '-nostdin', '-y', '-loglevel', 'error'],
  ...['-protocol_whitelist', 'file', '-format_whitelist', 'mov', '-skip_frame', 'nokey'],
  ...['-i', address],
]

/** As they come: no picture is repeated or left out to keep a rate. */
const asTheyCome = ['-fps_mode', 'passthrough']

/** The sheets of a storyboard, and a small copy of each picture in it, to be judged. */
export function storyboardArguments(
  address: string,
  { tile, columns, rows }: Storyboard,
  output: { readonly sheets: string; readonly samples: string },
): string[] {
  const graph = [
    '[0:v:0]split[shown][judged]',
    `[shown]scale=${tile.width}:${tile.height},tile=${columns}x${rows}[sheet]`,
    `[judged]scale=${SAMPLE_WIDTH}:${SAMPLE_HEIGHT},format=rgb24[sample]`,
  ]
  return [
    ...readKeyframes(address),
    ...['-filter_complex', graph.join(';')],
    ...['-map', '[sheet]', ...asTheyCome, '-q:v', '4', output.sheets],
    ...['-map', '[sample]', ...asTheyCome, '-f', 'rawvideo', output.samples],
  ]
}

/** The first keyframe as a JPEG. */
export const pictureArguments = (
  address: string,
  size: { readonly width: number; readonly height: number },
  output: string,
) => [
  ...readKeyframes(address),
  ...['-vf', `scale=${size.width}:${size.height}`, ...asTheyCome],
  ...['-frames:v', '1', '-q:v', '3', output],
]
