import type { Limits } from './limits.ts'

/** A program and what it may access. Paths are the host's; inside the sandbox, each has a fixed path. */
export type Task = {
  /** Absolute path. Inside, only this program and those that start it can be executed. */
  readonly program: string
  readonly arguments: readonly string[]
  readonly input: TaskInput
  /** The only writable directory. */
  readonly outputDirectory?: string
  readonly limits: Limits
  /**
   * Receives stdout while the program runs; then none of it is kept for the result. It still counts
   * against the output limit.
   */
  readonly onStdout?: (chunk: Buffer) => void
}

export type TaskInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly path: string }
  /** A unix socket that serves one object over HTTP. */
  | { readonly kind: 'relay'; readonly socketPath: string }

/**
 * Concurrent connections to a relay. FFmpeg uses one or two; a compromised program could use up our
 * file descriptors.
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
