import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The exit code of a shell for a command that cannot be started. */
const COMMAND_NOT_FOUND = 127

/**
 * Runs a command from the root of the repository with its output on the terminal, and returns its exit code.
 * `defaults` are settings that the environment overrides.
 */
export async function runCommand(
  [file = '', ...options]: readonly string[],
  defaults: Readonly<Record<string, string>> = {},
): Promise<number> {
  const env = { ...defaults, ...process.env }
  const child = spawn(file, options, { cwd: root, env, stdio: 'inherit' })
  // Ctrl-C also reaches the child, which stops its servers. This process waits until the child has ended.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    return code ?? (signal ? 128 : 1)
  } catch (error) {
    process.stderr.write(`${file} cannot be started: ${error}\n`)
    return COMMAND_NOT_FOUND
  } finally {
    process.off('SIGINT', ignore)
  }
}
