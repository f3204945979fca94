type Sink = { readonly write: (text: string) => unknown }

/**
 * The process environment of an operator command. Tests pass their own, because starting a process takes longer than
 * most commands.
 */
export type CommandIo = Pick<NodeJS.Process, 'env' | 'exitCode'> & {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly once: (signal: 'SIGINT' | 'SIGTERM', listener: () => void) => unknown
}

/** Invalid command line; the usage is printed with the message. */
export class UsageError extends Error {}

/** Whether the command line is invalid; includes the errors of Node's `parseArgs`. */
export const isUsageError = (error: unknown): error is Error =>
  error instanceof UsageError ||
  (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true
