import { resolve } from 'node:path'
import type { SandboxMode } from '../sandbox/sandbox.ts'
import { inside, type TaskInput } from '../sandbox/task.ts'
import { BlockReader } from './block-reader.ts'
import { fileObject } from './file-object.ts'
import { openRelayServer, type RelayOptions } from './relay.ts'
import { isLocalFile, type Source } from './source.ts'

/** A source made ready for programs in the sandbox, and for a look of our own. */
export type OpenedSource = AsyncDisposable & {
  readonly reader: BlockReader
  readonly input: TaskInput
  /** What the program is to open, and the only protocols that it needs for it. */
  readonly address: string
  readonly protocols: string
}

export type WithSourceOptions = {
  readonly mode: SandboxMode
  readonly bytesMax: number
  readonly keptBytesMax?: number
  readonly signal: AbortSignal
}

/**
 * Opens a source for as long as it is used. Should it break while a program reads it, the program
 * is stopped by the signal that comes with it, and what broke is thrown whatever became of the
 * program: what that says about a file that it could not read is not about the file.
 */
export async function withSource<T>(
  source: Source,
  options: WithSourceOptions,
  use: (opened: OpenedSource, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const broken = new AbortController()
  const signal = AbortSignal.any([options.signal, broken.signal])
  const failed = (error: unknown) => broken.abort(error)
  await using opened = await openSource(source, { ...options, signal, failed })
  try {
    return await use(opened, signal)
  } finally {
    // It comes before an error of the program's as well as before its result.
    broken.signal.throwIfAborted()
  }
}

type OpenSourceOptions = WithSourceOptions & {
  /** Called when the source cannot be read (any more) while a program reads it. */
  readonly failed: (error: unknown) => void
}

async function openSource(source: Source, options: OpenSourceOptions): Promise<OpenedSource> {
  const { mode, signal, failed } = options
  const isFile = isLocalFile(source)
  const object = isFile ? await fileObject(source.path) : source
  const reader = new BlockReader(object, options, signal)
  const opened = isFile
    ? openFile(resolve(source.path), mode)
    : await openRelay({ reader, failed }, mode)
  return Object.assign(opened, { reader })
}

const openFile = (path: string, mode: SandboxMode) => ({
  input: { kind: 'file', path } as const,
  address: `file:${mode === 'bubblewrap' ? inside.file : path}`,
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
