/** `node server/src/main/api.ts`: serves the API until stopped. */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiChecks } from '../diagnostics/api-checks.ts'
import { readApiConfig } from '../platform/config/env.ts'
import { runProcess, stopOnSignal } from './process.ts'
import { openContext } from './wiring/context.ts'
import { buildHttpApp } from './wiring/http-app.ts'
import { buildOperationsApp } from './wiring/operations-app.ts'
import { logStorageProblems } from './wiring/startup-storage-check.ts'
import { registerNotifications } from './wiring/storage-notifications.ts'
import { openTracing } from './wiring/tracing.ts'

await runProcess(async () => {
  const config = readApiConfig()
  const instance = `${hostname()}-${config.PORT}`
  const tracing = await openTracing(config, { name: 'reelkeep-api', instance })
  const context = openContext(config)
  const api = await buildHttpApp(context)
  const operations = buildOperationsApp(context, apiChecks(context))
  registerNotifications(operations, context)

  const stop = async () => {
    await api.close()
    await operations.close()
    await context[Symbol.asyncDispose]()
    await tracing[Symbol.asyncDispose]()
  }
  stopOnSignal(context, config.DRAIN_SECONDS, async ({ isError }) => {
    // Ends the event streams; their clients reconnect to another instance.
    context.streams.endAll()
    // Load balancers need some time to detect that this instance is not ready; until then they send requests.
    if (!isError) await sleep(config.DRAIN_SECONDS * 1000)
    await stop()
  })

  try {
    await operations.listen({ host: config.HOST, port: config.OPERATIONS_PORT })
    await api.listen({ host: config.HOST, port: config.PORT })
  } catch (error) {
    // If one of the ports cannot be opened, the process stops: a partial service would look healthy to monitoring.
    await stop()
    throw error
  }
  void logStorageProblems(context)
  context.logger.info({ public_url: config.PUBLIC_URL, port: config.PORT }, 'api started')
})
