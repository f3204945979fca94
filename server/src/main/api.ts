/** `node server/src/main/api.ts`: serves the API until it is told to stop. */
import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import { ConfigError, readApiConfig } from '../platform/config/env.ts'
import { openContext } from './context.ts'
import { buildHttpApp } from './http-app.ts'
import { buildOperationsApp } from './operations-app.ts'

/** A stop that takes longer than the drain and the longest request is forced. */
const STOP_MARGIN_SECONDS = 30

try {
  await serve()
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const { code, port } = error as { code?: string; port?: number }
  if (code !== 'EADDRINUSE') return String(error)
  return `Port ${port} is taken. Set PORT, OPERATIONS_PORT and PUBLIC_URL to others, or stop what runs there.`
}

async function serve(): Promise<void> {
  const config = readApiConfig()
  const context = openContext(config)
  const api = await buildHttpApp(context)
  const operations = buildOperationsApp(context)

  const stop = async () => {
    await api.close()
    await operations.close()
    await context[Symbol.asyncDispose]()
  }
  const patience = (config.DRAIN_SECONDS + STOP_MARGIN_SECONDS) * 1000
  closeWithGrace({ delay: patience, logger: false }, async ({ signal, err }) => {
    if (err) context.logger.fatal({ err }, 'stopping after a fault')
    else context.logger.info({ signal }, 'stopping')
    context.beginStopping()
    // Balancers need a moment to see that we are no longer ready; until then they send requests.
    if (!err) await sleep(config.DRAIN_SECONDS * 1000)
    await stop()
  })

  try {
    await operations.listen({ host: config.HOST, port: config.OPERATIONS_PORT })
    await api.listen({ host: config.HOST, port: config.PORT })
  } catch (error) {
    // Half a service would look alive to whoever watches it.
    await stop()
    throw error
  }
  context.logger.info({ public_url: config.PUBLIC_URL, port: config.PORT }, 'serving')
}
