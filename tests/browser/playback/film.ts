/** Generates a test film with ffmpeg: hills from dawn to night in five scenes, with chapters and captions. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

type Scene = {
  readonly title: string
  readonly caption: string
  /** Colors of the sky, from the top to the horizon. */
  readonly sky: readonly [string, string, string]
  /** RGB color of the nearest hill; the hills behind it are lighter. */
  readonly hill: readonly [number, number, number]
  readonly sun: { readonly color: string; readonly across: number; readonly down: number }
}

const scenes: readonly Scene[] = [
  {
    title: 'Before sunrise',
    caption: 'The valley is quiet before the first light.',
    sky: ['0x1b2350', '0x6a4c8c', '0xf29e7a'],
    hill: [34, 26, 58],
    sun: { color: '255,214,170', across: 0.68, down: 0.62 },
  },
  {
    title: 'Morning mist',
    caption: 'Mist rises from the river and drifts between the hills.',
    sky: ['0x7fb7d9', '0xc9dfe6', '0xf6e6c8'],
    hill: [44, 84, 92],
    sun: { color: '255,250,225', across: 0.3, down: 0.34 },
  },
  {
    title: 'High noon',
    caption: 'At noon the shadows are short and the sky is wide.',
    sky: ['0x1f6fb8', '0x58a9dc', '0xbfe3ee'],
    hill: [26, 74, 66],
    sun: { color: '255,255,240', across: 0.55, down: 0.16 },
  },
  {
    title: 'The long dusk',
    caption: 'Then the long dusk, when everything turns to copper.',
    sky: ['0x2b1b4f', '0xb4436c', '0xf9a03f'],
    hill: [48, 18, 44],
    sun: { color: '255,190,110', across: 0.4, down: 0.6 },
  },
  {
    title: 'Night falls',
    caption: 'And at last the night, and the moon above the ridge.',
    sky: ['0x05081a', '0x0f1d42', '0x28436f'],
    hill: [8, 12, 28],
    sun: { color: '228,236,255', across: 0.72, down: 0.26 },
  },
]

export const SCENE_SECONDS = 9
export const FILM_SECONDS = scenes.length * SCENE_SECONDS
export const FILM_RATE = 24
const [WIDTH, HEIGHT] = [854, 480]

const clock = (seconds: number) => `00:00:${String(seconds).padStart(2, '0')}`

export const filmChapters = scenes.map(({ title }, index) => ({
  title,
  start_time: clock(index * SCENE_SECONDS),
}))

/** Chapters that start before the given time. */
export const chaptersWithin = (seconds: number) => filmChapters.filter((_, index) => index * SCENE_SECONDS < seconds)

/** One caption per scene, without gaps between them. */
export const filmCaptions = scenes.map(({ caption }) => caption)

export const filmSubtitles = `WEBVTT\n\n${filmCaptions
  .map((caption, index) => {
    const from = index * SCENE_SECONDS
    return `${clock(from)}.000 --> ${clock(from + SCENE_SECONDS)}.000\n${caption}\n`
  })
  .join('\n')}`

/** Renders the first `seconds` of the film and returns its path. */
export async function makeFilm(folder: string, seconds = FILM_SECONDS): Promise<string> {
  const path = join(folder, 'hills.mp4')
  const inputs = scenes.flatMap((scene) => inputsOf(scene).flatMap((input) => ['-f', 'lavfi', '-i', input]))
  const inputsEach = inputs.length / 4 / scenes.length
  const drawn = scenes.map((_, index) => drawing(index, inputsEach)).join(';')
  const joined = `${scenes.map((_, index) => `[s${index}]`).join('')}concat=n=${scenes.length}:v=1:a=0[film]`
  const audioSource = `aevalsrc='0.05*sin(2*PI*220*t)+0.04*sin(2*PI*277*t)|0.05*sin(2*PI*220*t)+0.04*sin(2*PI*330*t)':s=48000:d=${FILM_SECONDS}`
  await run('ffmpeg', [
    ...['-v', 'error', '-nostdin', ...inputs, '-f', 'lavfi', '-i', audioSource],
    ...['-filter_complex', `${drawn};${joined}`, '-map', '[film]', '-map', `${inputs.length / 4}:a`],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '17', '-pix_fmt', 'yuv420p'],
    ...['-c:a', 'aac', '-shortest', '-t', String(seconds), '-y', path],
  ])
  return path
}

/** Each layer is rendered once; the hills are then moved across the sky. */
function inputsOf({ sky, hill, sun }: Scene): string[] {
  const [above, middle, below] = sky
  const size = `${WIDTH}x${HEIGHT}`
  const colors = `c0=${above}:c1=${middle}:c2=${below}`
  const line = `x0=${WIDTH / 2}:y0=0:x1=${WIDTH / 2}:y1=${Math.round(HEIGHT * 0.8)}`
  return [
    `gradients=s=${size}:r=${FILM_RATE}:d=${1 / FILM_RATE}:n=3:${colors}:${line}:speed=0.00001`,
    disc(sun),
    ...[0, 1, 2].map((layer) => ridge(layer, hill, below)),
  ]
}

function disc({ color, across, down }: Scene['sun']): string {
  const [red, green, blue] = color.split(',')
  const distance = `hypot(X-${WIDTH * across},Y-${HEIGHT * down})`
  const [radius, glow] = [HEIGHT * 0.062, HEIGHT * 0.55]
  const alpha = `255*max(clip(${radius}-${distance},0,1),0.55*pow(clip(1-${distance}/${glow},0,1),2.4))`
  return `${still(WIDTH)},geq=r=${red}:g=${green}:b=${blue}:a='${alpha}'`
}

/** Nearer layers are darker, larger and faster. */
function ridge(layer: number, hill: Scene['hill'], horizon: string): string {
  const haze = [0.62, 0.3, 0][layer] ?? 0
  const [red, green, blue] = hill.map((color, index) => {
    const air = Number.parseInt(horizon.slice(2 + 2 * index, 4 + 2 * index), 16)
    return Math.round(color + (air - color) * haze)
  })
  const top = HEIGHT * (0.6 + 0.12 * layer)
  const swell = HEIGHT * (0.07 + 0.012 * layer)
  const shape = `${top}+${swell}*(sin(X/${150 + 70 * layer}+${layer * 2})+0.5*sin(X/${61 + 23 * layer}+${layer})+0.16*sin(X/${19 + 6 * layer}))`
  return `${still(WIDTH * 2)},geq=r=${red}:g=${green}:b=${blue}:a='255*clip(Y-(${shape}),0,1)'`
}

const still = (width: number) => `color=black:s=${width}x${HEIGHT}:r=${FILM_RATE}:d=${1 / FILM_RATE},format=rgba`

function drawing(scene: number, inputsEach: number): string {
  const first = scene * inputsEach
  // Converts the pixel format before looping, so that it is converted once and not for every frame.
  const looped = (input: number) =>
    `[${first + input}]format=yuva420p,loop=-1:1:0,setpts=N/${FILM_RATE}/TB[h${scene}${input}]`
  const sky = `[${first}]format=yuv420p,loop=-1:1:0,setpts=N/${FILM_RATE}/TB,trim=duration=${SCENE_SECONDS}[sky${scene}]`
  const over = (under: string, input: number, speed: number, name: string) =>
    `[${under}][h${scene}${input}]overlay=x='-t*${speed}':shortest=1[${name}]`
  return [
    sky,
    ...[1, 2, 3, 4].map(looped),
    over(`sky${scene}`, 1, -2, `a${scene}`),
    over(`a${scene}`, 2, 6, `b${scene}`),
    over(`b${scene}`, 3, 16, `c${scene}`),
    `[c${scene}][h${scene}4]overlay=x='-t*38':shortest=1,setsar=1[s${scene}]`,
  ].join(';')
}
