/** `node server/src/main/api.ts`: serves the API until stopped. */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { readApiConfig } from '../platform/config/env.ts'
import { apiExaminations } from './api-examinations.ts'
import { openContext } from './context.ts'
import { buildHttpApp } from './http-app.ts'
import { buildOperationsApp } from './operations-app.ts'
import { runProcess, stopWhenTold } from './process.ts'
import { checkStorage } from './storage-check.ts'
import { takeStorageEvents } from './storage-events.ts'
import { openTracing } from './tracing.ts'

await runProcess(async () => {
  const config = readApiConfig()
  const instance = `${hostname()}-${config.PORT}`
  const tracing = await openTracing(config, { name: 'reelkeep-api', instance })
  const context = openContext(config)
  const api = await buildHttpApp(context)
  const operations = buildOperationsApp(context, apiExaminations(context))
  takeStorageEvents(operations, context)

  const stop = async () => {
    await api.close()
    await operations.close()
    await context[Symbol.asyncDispose]()
    await tracing[Symbol.asyncDispose]()
  }
  stopWhenTold(context, config.DRAIN_SECONDS, async ({ isFault }) => {
    // Clients reconnect to another instance.
    context.streams.endAll()
    // Load balancers need a moment to see that this instance is not ready; until then they send requests.
    if (!isFault) await sleep(config.DRAIN_SECONDS * 1000)
    await stop()
  })

  try {
    await operations.listen({ host: config.HOST, port: config.OPERATIONS_PORT })
    await api.listen({ host: config.HOST, port: config.PORT })
  } catch (error) {
    // A partial service would look healthy to monitoring.
    await stop()
    throw error
  }
  void checkStorage(context)
  context.logger.info({ public_url: config.PUBLIC_URL, port: config.PORT }, 'serving')
})
