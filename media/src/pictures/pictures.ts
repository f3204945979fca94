/** Pictures of a video that we have encoded: read from its renditions, of which every keyframe is known. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Limits } from '../sandbox/limits.ts'
import { ffmpeg, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { inside } from '../sandbox/task.ts'
import { SAMPLE_BYTES, type Sample } from './liveliness.ts'
import { pictureArguments, storyboardArguments } from './picture-arguments.ts'
import { type Storyboard, sheetName } from './storyboard.ts'

/** An MP4 on the disk; with its size, as it is shown. */
export type RenditionFile = {
  readonly path: string
  readonly width: number
  readonly height: number
}

type Options = { readonly directory: string; readonly signal: AbortSignal }

/** As many keyframes as a storyboard has; or one large picture. */
const pictureLimits: Limits = {
  wallSeconds: 1800,
  cpuSeconds: 1800,
  memoryBytes: 4 * 2 ** 30,
  fileBytes: 64 * 2 ** 20,
  openFiles: 64,
  processes: 64,
  stdoutBytes: 65_536,
  stderrBytes: 2 ** 20,
}

export class PicturesFailed extends Error {
  override readonly name = 'PicturesFailed'
}

export type LookedThrough = {
  /** Paths, in order. */
  readonly sheets: readonly string[]
  /** One for each tile. */
  readonly samples: readonly Sample[]
}

/** Goes through the keyframes that are shown in a storyboard; the file holds them and no others. */
export async function lookThrough(
  sandbox: Sandbox,
  rendition: RenditionFile,
  storyboard: Storyboard,
  { directory, signal }: Options,
): Promise<LookedThrough> {
  const tiles = storyboard.shown.length
  const { address, output } = placesOf(sandbox, rendition, directory)
  const written = { sheets: output('storyboard-%d.jpg'), samples: output('samples.rgb') }
  await run(
    sandbox,
    rendition,
    directory,
    storyboardArguments(address, storyboard, written),
    signal,
  )
  const raw = await readFile(join(directory, 'samples.rgb'))
  if (raw.length !== tiles * SAMPLE_BYTES) {
    throw new PicturesFailed(`${raw.length / SAMPLE_BYTES} keyframes instead of ${tiles}`)
  }
  return {
    sheets: numbers(storyboard.sheets).map((index) => join(directory, sheetName(index + 1))),
    samples: numbers(tiles).map((index) =>
      raw.subarray(index * SAMPLE_BYTES, (index + 1) * SAMPLE_BYTES),
    ),
  }
}

/**
 * The first keyframe of a piece of a rendition, scaled down to where its longer side is at most
 * this long. Answers the path.
 */
export async function takePicture(
  sandbox: Sandbox,
  piece: RenditionFile,
  wish: { readonly longSideMax: number; readonly name: string },
  { directory, signal }: Options,
): Promise<string> {
  const { address, output } = placesOf(sandbox, piece, directory)
  const size = fitted(piece, wish.longSideMax)
  const given = pictureArguments(address, size, output(wish.name))
  await run(sandbox, piece, directory, given, signal)
  return join(directory, wish.name)
}

function fitted({ width, height }: RenditionFile, longSideMax: number) {
  const scale = Math.min(1, longSideMax / Math.max(width, height))
  const even = (length: number) => Math.max(2, 2 * Math.round((length * scale) / 2))
  return { width: even(width), height: even(height) }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Where the program finds its input and its output. */
function placesOf({ mode }: Sandbox, { path }: RenditionFile, directory: string) {
  const isInside = mode === 'bubblewrap'
  return {
    address: `file:${isInside ? inside.file : resolve(path)}`,
    output: (name: string) => `${isInside ? inside.output : directory}/${name}`,
  }
}

async function run(
  sandbox: Sandbox,
  { path }: RenditionFile,
  directory: string,
  given: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const input = { kind: 'file', path: resolve(path) } as const
  const task = { program: ffmpeg, arguments: given, input, outputDirectory: directory }
  const { ending, stderr } = await runInSandbox(sandbox, { ...task, limits: pictureLimits }, signal)
  signal.throwIfAborted()
  if (ending.kind === 'exited' && ending.code === 0) return
  throw new PicturesFailed(`No pictures came: ${JSON.stringify(ending)} ${stderr.slice(-500)}`)
}
