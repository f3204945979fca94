import type { Surroundings } from '@reelkeep/server/main/surroundings.ts'

/** What a command has said, and what it ends with. */
export type Ran = { readonly code: number; readonly output: string; readonly error: string }

/**
 * Runs a command of the operator in this process, with nothing around it but these settings. That it
 * is the same as a process is for a few tests of each command to say.
 */
export async function runHere(
  command: (around: Surroundings) => Promise<void>,
  env: Record<string, string | undefined>,
): Promise<Ran> {
  let [output, error] = ['', '']
  const around: Surroundings = {
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
    // Nobody signals it.
    once: () => {},
  }
  await command(around)
  return { code: Number(around.exitCode ?? 0), output, error }
}
