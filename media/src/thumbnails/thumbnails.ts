/** Creates storyboards and thumbnails from encoded renditions, whose keyframes are known. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Limits } from '../sandbox/limits.ts'
import { ffmpeg, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { sandboxPaths } from '../sandbox/task.ts'
import { SAMPLE_BYTES, type Sample } from './frame-score.ts'
import { type Storyboard, sheetName } from './storyboard.ts'
import {
  frameArguments,
  imageArguments,
  sampleArguments,
  storyboardArguments,
  thumbnailArguments,
} from './thumbnail-arguments.ts'

/** An MP4 on disk, with its display size. */
export type RenditionFile = {
  readonly path: string
  readonly width: number
  readonly height: number
}

type Options = { readonly directory: string; readonly signal: AbortSignal }

/** Limits that are sufficient for all keyframes of a storyboard, or for one large thumbnail. */
const thumbnailLimits: Limits = {
  wallSeconds: 1800,
  cpuSeconds: 1800,
  memoryBytes: 2 * 2 ** 30,
  fileBytes: 64 * 2 ** 20,
  writtenBytes: 256 * 2 ** 20,
  openFiles: 64,
  processes: 64,
  stdoutBytes: 65_536,
  stderrBytes: 2 ** 20,
}

/** Maximum size of the temporary files of all thumbnails: the output of each run, and its input. */
export const THUMBNAIL_SCRATCH_BYTES = 2 * thumbnailLimits.writtenBytes

export class ThumbnailsFailed extends Error {
  override readonly name = 'ThumbnailsFailed'
}

export type RenderedStoryboard = {
  /** Paths of the sheets, in order. */
  readonly sheets: readonly string[]
  /** The sampled frames, one per tile. */
  readonly samples: readonly Sample[]
}

/**
 * Creates the sheets of a storyboard or filmstrip, and samples for scoring. The file must contain exactly the keyframes
 * of the storyboard.
 */
export async function renderStoryboard(
  sandbox: Sandbox,
  rendition: RenditionFile,
  storyboard: Storyboard,
  { directory, signal }: Options,
): Promise<RenderedStoryboard> {
  const tiles = storyboard.shown.length
  const { address, output } = pathsFor(sandbox, rendition, directory)
  const written = { sheets: output(sheetName(storyboard, '%d')), samples: output('samples.rgb') }
  await run(sandbox, rendition, directory, storyboardArguments(address, storyboard, written), signal)
  return { sheets: sheetPaths(storyboard, directory), samples: await samplesIn(join(directory, 'samples.rgb'), tiles) }
}

/** More small copies would exceed the limit of the sandbox for a file. */
export const SAMPLED_FRAMES_MAX = 9000

/** Small copies of all frames of a file, which has exactly `count` frames. */
export async function readSamples(
  sandbox: Sandbox,
  file: RenditionFile,
  count: number,
  { directory, signal }: Options,
): Promise<readonly Sample[]> {
  const { address, output } = pathsFor(sandbox, file, directory)
  await run(sandbox, file, directory, sampleArguments(address, output('frames.rgb')), signal)
  return samplesIn(join(directory, 'frames.rgb'), count)
}

async function samplesIn(path: string, count: number): Promise<readonly Sample[]> {
  const raw = await readFile(path)
  if (raw.length !== count * SAMPLE_BYTES)
    throw new ThumbnailsFailed(`${raw.length / SAMPLE_BYTES} frames instead of ${count}`)
  return numbers(count).map((index) => raw.subarray(index * SAMPLE_BYTES, (index + 1) * SAMPLE_BYTES))
}

const sheetPaths = (storyboard: Storyboard, directory: string) =>
  numbers(storyboard.sheets).map((index) => join(directory, sheetName(storyboard, index + 1)))

/**
 * Creates a thumbnail from the first keyframe, scaled down to the maximum length of its longer side. Returns the path.
 */
export async function renderThumbnail(
  sandbox: Sandbox,
  keyframeFile: RenditionFile,
  thumbnail: { readonly longSideMax: number; readonly name: string },
  { directory, signal }: Options,
): Promise<string> {
  const { address, output } = pathsFor(sandbox, keyframeFile, directory)
  const size = fitted(keyframeFile, thumbnail.longSideMax)
  const args = thumbnailArguments(address, size, output(thumbnail.name))
  await run(sandbox, keyframeFile, directory, args, signal)
  return join(directory, thumbnail.name)
}

/** Like `renderThumbnail`, from the first frame at or after `offsetSeconds`. The file starts with a keyframe. */
export async function renderFrame(
  sandbox: Sandbox,
  file: RenditionFile,
  frame: { readonly longSideMax: number; readonly name: string; readonly offsetSeconds: number },
  { directory, signal }: Options,
): Promise<string> {
  const { address, output } = pathsFor(sandbox, file, directory)
  const { offsetSeconds } = frame
  const args = frameArguments(address, { ...fitted(file, frame.longSideMax), offsetSeconds }, output(frame.name))
  await run(sandbox, file, directory, args, signal)
  return join(directory, frame.name)
}

/** Encodes an uploaded image again. Throws ThumbnailsFailed if it is not an image, or too large. Returns the path. */
export async function renderImage(
  sandbox: Sandbox,
  path: string,
  image: { readonly longSideMax: number; readonly name: string },
  { directory, signal }: Options,
): Promise<string> {
  const file = { path, width: 0, height: 0 }
  const { address, output } = pathsFor(sandbox, file, directory)
  await run(sandbox, file, directory, imageArguments(address, image.longSideMax, output(image.name)), signal)
  return join(directory, image.name)
}

function fitted({ width, height }: RenditionFile, longSideMax: number) {
  const scale = Math.min(1, longSideMax / Math.max(width, height))
  const even = (length: number) => Math.max(2, 2 * Math.round((length * scale) / 2))
  return { width: even(width), height: even(height) }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Input and output paths for the program: in mode `bubblewrap`, the paths inside the sandbox. */
function pathsFor({ mode }: Sandbox, { path }: RenditionFile, directory: string) {
  const isInside = mode === 'bubblewrap'
  return {
    address: `file:${isInside ? sandboxPaths.file : resolve(path)}`,
    output: (name: string) => `${isInside ? sandboxPaths.output : directory}/${name}`,
  }
}

async function run(
  sandbox: Sandbox,
  { path }: RenditionFile,
  directory: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const input = { kind: 'file', path: resolve(path) } as const
  const task = { program: ffmpeg, arguments: args, input, outputDirectory: directory }
  const { exitStatus, stderr } = await runInSandbox(sandbox, { ...task, limits: thumbnailLimits }, signal)
  signal.throwIfAborted()
  if (exitStatus.kind === 'exited' && exitStatus.code === 0) return
  throw new ThumbnailsFailed(`ffmpeg ended with ${JSON.stringify(exitStatus)}: ${stderr.slice(-500)}`)
}
