/** A program on a source: however it fails, the reason is told apart. */
import { join } from 'node:path'
import type { Limits } from '../sandbox/limits.ts'
import { ffmpeg, type Run, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { inside } from '../sandbox/task.ts'
import { type OpenedSource, openSource } from '../source/opened-source.ts'
import { type Source, SourceUnreadable } from '../source/source.ts'
import { SOURCE_BYTES_KEPT_MAX, SOURCE_BYTES_READ_MAX } from './subtitle-limits.ts'

export type Wish = {
  readonly source: Source
  readonly limits: Limits
  /** Where it writes to. */
  readonly directory: string
  /** The command line, given where the source is and how a file in the directory is called. */
  readonly argumentsOf: (source: OpenedSource, output: (name: string) => string) => string[]
  readonly signal: AbortSignal
}

/** @throws SourceUnreadable, or why it was called off. */
export async function runFfmpeg(sandbox: Sandbox, wish: Wish): Promise<Run> {
  const { source, limits, directory, signal: called } = wish
  const stop = new AbortController()
  const signal = AbortSignal.any([called, stop.signal])
  let trouble: unknown
  const failed = (error: unknown) => {
    trouble ??= error
    stop.abort()
  }
  await using opened = await openSource(source, {
    ...{ mode: sandbox.mode, bytesMax: SOURCE_BYTES_READ_MAX },
    ...{ keptBytesMax: SOURCE_BYTES_KEPT_MAX },
    ...{ signal, failed },
  })
  const output = (name: string) =>
    join(sandbox.mode === 'bubblewrap' ? inside.output : directory, name)
  const task = {
    ...{ program: ffmpeg, arguments: wish.argumentsOf(opened, output) },
    ...{ input: opened.input, outputDirectory: directory, limits },
  }
  const run = await runInSandbox(sandbox, task, signal)
  called.throwIfAborted()
  if (trouble !== undefined) throw asUnreadable(trouble)
  return run
}

const asUnreadable = (trouble: unknown) =>
  trouble instanceof SourceUnreadable
    ? trouble
    : new SourceUnreadable('The source could not be read', { cause: trouble })
