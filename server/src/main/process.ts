/** Shared by the service's processes: start, stop and startup errors. */
import closeWithGrace from 'close-with-grace'
import { ConfigError } from '../platform/config/env.ts'
import type { BaseContext } from './wiring/context.ts'

/** A stop is forced if it takes longer than the drain time plus this margin. */
const STOP_MARGIN_SECONDS = 30

/** Starts a process, or prints why it cannot start. */
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
  return `Port ${port} is in use. Set PORT, OPERATIONS_PORT, PUBLIC_URL or WORKER_OPERATIONS_PORT to another port, or stop the process that uses it.`
}

/** On a signal or an uncaught error, logs it, stops, and ends the process. */
export function stopOnSignal(
  { logger, enter }: BaseContext,
  drainSeconds: number,
  stop: (reason: { readonly isError: boolean }) => Promise<void>,
): void {
  const delay = (drainSeconds + STOP_MARGIN_SECONDS) * 1000
  closeWithGrace({ delay, logger: false }, async ({ signal, err }) => {
    if (err) logger.fatal({ err }, 'stopping after an uncaught error')
    else logger.info({ signal }, 'stopping')
    enter('stopping')
    await stop({ isError: err !== undefined })
  })
}
