/** What the service's processes have in common: how one begins, ends, and explains why it could not. */
import closeWithGrace from 'close-with-grace'
import { ConfigError } from '../platform/config/env.ts'
import type { BaseContext } from './context.ts'

/** A stop that takes longer than the drain and the longest piece of work is forced. */
const STOP_MARGIN_SECONDS = 30

/** Starts a process, or says in a sentence why that cannot be. */
export async function runProcess(start: () => Promise<void>): Promise<void> {
  try {
    await start()
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`)
    process.exit(1)
  }
}

export function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const { code, port } = error as { code?: string; port?: number }
  if (code !== 'EADDRINUSE') return String(error)
  return `Port ${port} is taken. Set PORT, OPERATIONS_PORT, PUBLIC_URL or WORKER_OPERATIONS_PORT to others, or stop what runs there.`
}

/** On a signal, or after a fault that nobody caught, says so, stops, and ends the process. */
export function stopWhenTold(
  { logger, enter }: BaseContext,
  drainSeconds: number,
  stop: (reason: { readonly isFault: boolean }) => Promise<void>,
): void {
  const patience = (drainSeconds + STOP_MARGIN_SECONDS) * 1000
  closeWithGrace({ delay: patience, logger: false }, async ({ signal, err }) => {
    if (err) logger.fatal({ err }, 'stopping after a fault')
    else logger.info({ signal }, 'stopping')
    enter('stopping')
    await stop({ isFault: err !== undefined })
  })
}
