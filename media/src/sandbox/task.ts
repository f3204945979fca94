import type { Limits } from './limits.ts'

/** A program and what it may access. Paths are those of the host; inside the sandbox, each has a fixed path. */
export type Task = {
  /** Absolute path of the program. Only it and the programs that start it can be executed inside the sandbox. */
  readonly program: string
  readonly arguments: readonly string[]
  readonly input: TaskInput
  /** The only writable directory. */
  readonly outputDirectory?: string
  readonly limits: Limits
  /**
   * Receives stdout while the program runs; the result then contains no stdout. It still counts against the
   * output limit.
   */
  readonly onStdout?: (chunk: Buffer) => void
}

export type TaskInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly path: string }
  /** A unix socket that serves one object over HTTP. */
  | { readonly kind: 'relay'; readonly socketPath: string }

/**
 * Maximum number of concurrent connections to a relay. FFmpeg uses one or two; a compromised program could
 * exhaust our file descriptors.
 */
export const RELAY_CONNECTIONS_MAX = 16

/** Fixed paths inside the sandbox in mode `bubblewrap`. */
export const sandboxPaths = {
  program: '/in/program',
  file: '/in/source',
  socket: '/in/source.sock',
  output: '/out',
  relayPort: 8080,
} as const
