/** Runs ffmpeg on a source. */
import { join } from 'node:path'
import type { Limits } from '../sandbox/limits.ts'
import { ffmpeg, type Run, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { sandboxPaths } from '../sandbox/task.ts'
import { type OpenedSource, withSource } from '../source/opened-source.ts'
import { ReadLimitExceeded, type Source, SourceUnreadable } from '../source/source.ts'
import { SOURCE_BYTES_READ_MAX, SOURCE_CACHE_BYTES_MAX } from './subtitle-limits.ts'

export type FfmpegOptions = {
  readonly source: Source
  readonly limits: Limits
  /** Output directory. */
  readonly directory: string
  /** Builds the command line from the opened source and a function that returns output paths. */
  readonly argumentsOf: (source: OpenedSource, output: (name: string) => string) => string[]
  readonly signal: AbortSignal
}

/** @throws SourceUnreadable, or the reason of the abort. */
export async function runFfmpeg(sandbox: Sandbox, options: FfmpegOptions): Promise<Run> {
  const sourceOptions = {
    mode: sandbox.mode,
    bytesMax: SOURCE_BYTES_READ_MAX,
    cacheBytesMax: SOURCE_CACHE_BYTES_MAX,
    signal: options.signal,
  }
  const result = withSource(options.source, sourceOptions, (opened, signal) =>
    runOn(opened, sandbox, { ...options, signal }),
  )
  const run = await result.catch((error: unknown) => {
    options.signal.throwIfAborted()
    throw error instanceof ReadLimitExceeded ? readLimitError(error) : error
  })
  options.signal.throwIfAborted()
  return run
}

function runOn(source: OpenedSource, sandbox: Sandbox, options: FfmpegOptions): Promise<Run> {
  const { limits, directory, signal } = options
  const output = (name: string) => join(sandbox.mode === 'bubblewrap' ? sandboxPaths.output : directory, name)
  const task = {
    ...{ program: ffmpeg, arguments: options.argumentsOf(source, output) },
    ...{ input: source.input, outputDirectory: directory, limits },
  }
  return runInSandbox(sandbox, task, signal)
}

const readLimitError = (cause: ReadLimitExceeded) => new SourceUnreadable('The source could not be read', { cause })
