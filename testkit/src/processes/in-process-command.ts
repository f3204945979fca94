import type { CommandIo } from '@reelkeep/server/main/command-io.ts'

/** Exit code and output of a command. */
export type CommandResult = {
  readonly code: number
  readonly output: string
  readonly error: string
}

/**
 * Runs an operator command in this process, with only these settings. A few tests of each command run it as a process
 * and check that the result is the same.
 */
export async function runInProcess(
  command: (io: CommandIo) => Promise<void>,
  env: Record<string, string | undefined>,
): Promise<CommandResult> {
  let [output, error] = ['', '']
  const io: CommandIo = {
    env,
    exitCode: undefined,
    stdout: {
      write: (text) => {
        output += text
      },
    },
    stderr: {
      write: (text) => {
        error += text
      },
    },
    // The command receives no signals.
    once: () => {},
  }
  await command(io)
  return { code: Number(io.exitCode ?? 0), output, error }
}
