type Sink = { readonly write: (text: string) => unknown }

/**
 * The process environment of an operator command. Tests pass their own, because starting a process takes longer
 * than most commands.
 */
export type CommandIo = Pick<NodeJS.Process, 'env' | 'exitCode'> & {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly once: (signal: 'SIGINT' | 'SIGTERM', listener: () => void) => unknown
}
