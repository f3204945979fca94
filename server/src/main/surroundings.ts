type Sink = { readonly write: (text: string) => unknown }

/**
 * What a command of the operator finds around it: its process. Whoever asks much of commands, as
 * tests do, gives it others, for to start a process takes longer than most commands.
 */
export type Surroundings = Pick<NodeJS.Process, 'env' | 'exitCode'> & {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly once: (signal: 'SIGINT' | 'SIGTERM', listener: () => void) => unknown
}
