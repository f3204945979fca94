import type { CommandIo } from '../command-io.ts'

export class Interrupted extends Error {}

/** Aborts on SIGINT and SIGTERM, so that a command can end cleanly; a second signal kills the process. */
export function interruption(io: CommandIo): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    io.once(signal, () => controller.abort(new Interrupted('Interrupted. Run the command again to continue.')))
  return controller.signal
}
