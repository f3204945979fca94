import { resolve } from 'node:path'
import type { SandboxMode } from '../sandbox/sandbox.ts'
import { sandboxPaths, type TaskInput } from '../sandbox/task.ts'
import { BlockReader } from './block-reader.ts'
import { fileObject } from './file-object.ts'
import { openRelayServer, type RelayOptions } from './relay.ts'
import { isLocalFile, type Source } from './source.ts'

/** A source that programs in the sandbox and this process can read. */
export type OpenedSource = AsyncDisposable & {
  readonly reader: BlockReader
  readonly input: TaskInput
  /** URL that the program opens, and the protocols that it needs. */
  readonly address: string
  readonly protocols: string
}

export type WithSourceOptions = {
  readonly mode: SandboxMode
  readonly bytesMax: number
  readonly cacheBytesMax?: number
  readonly signal: AbortSignal
}

/**
 * Opens a source during `use`. If reading the source fails while a program runs, `signal` aborts
 * the program, and the read error is thrown whatever the program's result is: an error of a program
 * that could not read its input says nothing about the file.
 */
export async function withSource<T>(
  source: Source,
  options: WithSourceOptions,
  use: (opened: OpenedSource, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const readFailure = new AbortController()
  const signal = AbortSignal.any([options.signal, readFailure.signal])
  const onReadError = (error: unknown) => readFailure.abort(error)
  await using opened = await openSource(source, { ...options, signal, onReadError })
  try {
    return await use(opened, signal)
  } finally {
    // If the source could not be read, the read error is thrown instead of the program's result or error.
    readFailure.signal.throwIfAborted()
  }
}

type OpenSourceOptions = WithSourceOptions & {
  /** Called if the source cannot be read while a program uses it. */
  readonly onReadError: (error: unknown) => void
}

async function openSource(source: Source, options: OpenSourceOptions): Promise<OpenedSource> {
  const { mode, signal, onReadError } = options
  const isFile = isLocalFile(source)
  const object = isFile ? await fileObject(source.path) : source
  const reader = new BlockReader(object, options, signal)
  const opened = isFile ? openFile(resolve(source.path), mode) : await openRelay({ reader, onReadError }, mode)
  return Object.assign(opened, { reader })
}

const openFile = (path: string, mode: SandboxMode) => ({
  input: { kind: 'file', path } as const,
  address: `file:${mode === 'bubblewrap' ? sandboxPaths.file : path}`,
  protocols: 'file',
  [Symbol.asyncDispose]: async () => undefined,
})

async function openRelay(options: RelayOptions, mode: SandboxMode) {
  const relay = await openRelayServer(options, mode)
  return {
    input: relay.input,
    address: `http://127.0.0.1:${relay.port}${relay.path}`,
    protocols: 'http,tcp',
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  }
}
