import type { Limits } from './limits.ts'

/** A program with what it may see. Paths are the host's; inside, everything has a fixed name. */
export type Task = {
  /** Absolute. Nothing else can be executed inside but it and what starts it. */
  readonly program: string
  readonly arguments: readonly string[]
  readonly input: TaskInput
  /** The one place that may be written to. */
  readonly outputDirectory?: string
  readonly limits: Limits
  /**
   * Gets what the program writes while it runs; nothing of it is kept for the end. It counts
   * against its limit all the same.
   */
  readonly onStdout?: (chunk: Buffer) => void
}

export type TaskInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly path: string }
  /** A unix socket that serves one object over HTTP. */
  | { readonly kind: 'relay'; readonly socketPath: string }

/** To a relay, at a time. FFmpeg holds one or two; what has taken it over could open as many as we have descriptors. */
export const RELAY_CONNECTIONS_MAX = 16

/** Where a task finds them in the mode `bubblewrap`. */
export const inside = {
  program: '/in/program',
  file: '/in/source',
  socket: '/in/source.sock',
  output: '/out',
  relayPort: 8080,
} as const
