import { ConfigError } from '../platform/config/env.ts'

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
  error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true

type CommandTexts = {
  readonly name: string
  readonly usage: string
  /** Returns the message for an error that is caused neither by the command line nor by the settings. */
  readonly explain: (error: Error) => string
}

/** Prints the error of a command: exit code 2 for an invalid command line, otherwise 1. */
export async function printErrors(
  { name, usage, explain }: CommandTexts,
  io: CommandIo,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    const isUsage = isUsageError(error)
    const isExplained = isUsage || error instanceof ConfigError
    io.stderr.write(`reelkeep ${name}: ${isExplained ? error.message : explain(error as Error)}\n`)
    if (isUsage) io.stderr.write(`\n${usage}`)
    io.exitCode = isUsage ? 2 : 1
  }
}
