/** Valid files with absurd content, created with ffmpeg. */
import type { Expectation } from './hostile-file.ts'

type FfmpegRecipe = Expectation & { readonly name: string; readonly arguments: readonly string[] }

const black = (size: string) => ['-f', 'lavfi', '-i', `color=black:size=${size}:rate=1:duration=1`, '-frames:v', '1']
const apart = [
  '-f',
  'lavfi',
  '-i',
  'testsrc2=size=64x48:rate=1:duration=2',
  '-vf',
  'setpts=N*21600/TB',
  '-vsync',
  'passthrough',
]
const described = ['-i', 'film.mp4', '-i']
const copy = ['-map_metadata', '1', '-map_metadata:s:v', '1:g', '-c', 'copy']

const refused = (...codes: NonNullable<Expectation['codes']>): Expectation => ({
  expect: 'refused',
  codes,
})
const any: Expectation = { expect: 'any' }

export const ffmpegRecipes: readonly FfmpegRecipe[] = [
  {
    name: 'pixels-h264.mp4',
    ...refused('picture_too_large'),
    arguments: [...black('9000x9000'), '-c:v', 'libx264', '-preset', 'ultrafast'],
  },
  {
    name: 'pixels-png.mov',
    ...refused('picture_too_large'),
    arguments: [...black('16000x16000'), '-c:v', 'png', '-pix_fmt', 'gray'],
  },
  {
    name: 'pixels-mjpeg.avi',
    ...refused('picture_too_large'),
    arguments: [...black('12000x12000'), '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'],
  },
  {
    name: 'pixels-ffv1.mkv',
    ...refused('picture_too_large'),
    arguments: [...black('16000x4000'), '-c:v', 'ffv1', '-pix_fmt', 'gray'],
  },
  {
    name: 'side-too-long.mp4',
    ...refused('picture_too_large'),
    arguments: [...black('16000x64'), '-c:v', 'libx264', '-preset', 'ultrafast'],
  },
  {
    name: 'six-hours-apart.mp4',
    ...refused('sparse_video'),
    arguments: [...apart, '-c:v', 'libx264'],
  },
  {
    name: 'six-hours-apart.mkv',
    ...refused('sparse_video'),
    arguments: [...apart, '-c:v', 'libx264'],
  },
  { name: 'six-hours-apart.ts', ...any, arguments: [...apart, '-c:v', 'libx264'] },
  { name: 'title-of-1-mib.mp4', ...any, arguments: [...described, 'title.txt', ...copy] },
  { name: 'title-of-1-mib.mkv', ...any, arguments: [...described, 'title.txt', ...copy] },
  { name: 'chapters-100000.mkv', ...any, arguments: [...described, 'chapters.txt', ...copy] },
  { name: 'chapters-2000.mkv', ...any, arguments: [...described, 'few-chapters.txt', ...copy] },
  { name: 'control-characters.mkv', ...any, arguments: [...described, 'controls.txt', ...copy] },
  {
    name: 'attachments.mkv',
    ...any,
    arguments: ['-i', 'film.mp4', '-c', 'copy', '-attach', 'title.txt', '-metadata:s:t', 'mimetype=text/plain'],
  },
]

const chapters = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${n}\nEND=${n + 1}\ntitle=Chapter ${n}\n`,
  ).join('')

export const ffmpegTexts: Readonly<Record<string, string>> = {
  'title.txt': `;FFMETADATA1\ntitle=${'long '.repeat(210_000)}\n`,
  'chapters.txt': `;FFMETADATA1\n${chapters(100_000)}`,
  'few-chapters.txt': `;FFMETADATA1\n${chapters(2000)}`,
  'controls.txt': ';FFMETADATA1\ntitle=a\u0007b\u001b[31mc\u202ed\ufffe\nlanguage=\u0001\u0002\n',
}
