/** A program on a source: however it fails, the reason is told apart. */
import { join } from 'node:path'
import type { Limits } from '../sandbox/limits.ts'
import { ffmpeg, type Run, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { inside } from '../sandbox/task.ts'
import { type OpenedSource, withSource } from '../source/opened-source.ts'
import { ReadBudgetSpent, type Source, SourceUnreadable } from '../source/source.ts'
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
  const reading = {
    mode: sandbox.mode,
    bytesMax: SOURCE_BYTES_READ_MAX,
    keptBytesMax: SOURCE_BYTES_KEPT_MAX,
    signal: wish.signal,
  }
  const ended = withSource(wish.source, reading, (opened, signal) =>
    runOn(opened, sandbox, { ...wish, signal }),
  )
  const run = await ended.catch((error: unknown) => {
    wish.signal.throwIfAborted()
    throw error instanceof ReadBudgetSpent ? readTooOften(error) : error
  })
  wish.signal.throwIfAborted()
  return run
}

function runOn(source: OpenedSource, sandbox: Sandbox, wish: Wish): Promise<Run> {
  const { limits, directory, signal } = wish
  const output = (name: string) =>
    join(sandbox.mode === 'bubblewrap' ? inside.output : directory, name)
  const task = {
    ...{ program: ffmpeg, arguments: wish.argumentsOf(source, output) },
    ...{ input: source.input, outputDirectory: directory, limits },
  }
  return runInSandbox(sandbox, task, signal)
}

const readTooOften = (cause: ReadBudgetSpent) =>
  new SourceUnreadable('The source could not be read', { cause })
