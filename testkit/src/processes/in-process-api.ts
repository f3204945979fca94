import { apiChecks } from '@reelkeep/server/diagnostics/api-checks.ts'
import { openContext } from '@reelkeep/server/main/wiring/context.ts'
import { buildHttpApp } from '@reelkeep/server/main/wiring/http-app.ts'
import { buildOperationsApp } from '@reelkeep/server/main/wiring/operations-app.ts'
import { registerNotifications } from '@reelkeep/server/main/wiring/storage-notifications.ts'
import { readApiConfig } from '@reelkeep/server/platform/config/env.ts'
import { databaseTimeouts } from '../settings.ts'
import { freePort } from './free-port.ts'
import { type StackEnv, stackEnv } from './stack.ts'

/**
 * The API on its two ports, in this process. Used by tests that need many differently configured APIs, because starting
 * a process takes longer.
 */
export class InProcessApi implements AsyncDisposable {
  readonly baseUrl: string
  readonly operationsUrl: string
  readonly #stop: () => Promise<void>

  private constructor(ports: readonly [number, number], stop: () => Promise<void>) {
    const [url, operationsUrl] = ports.map((port) => `http://127.0.0.1:${port}`)
    this.baseUrl = url ?? ''
    this.operationsUrl = operationsUrl ?? ''
    this.#stop = stop
  }

  static async start(settings: Record<string, string> = {}, env: StackEnv = stackEnv()): Promise<InProcessApi> {
    const [port, operationsPort] = [await freePort(), await freePort()]
    const config = readApiConfig({
      ...{ ...databaseTimeouts, ...env, LOG_LEVEL: 'silent' },
      ...{ RATE_LIMIT_PER_MINUTE: '100000000', FAILED_PLAYBACK_PER_MINUTE: '100000000' },
      ...{ PORT: String(port), OPERATIONS_PORT: String(operationsPort) },
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ...settings,
    })
    const context = openContext(config)
    const http = await buildHttpApp(context)
    const operations = buildOperationsApp(context, apiChecks(context))
    registerNotifications(operations, context)
    const stop = async () => {
      context.streams.endAll()
      await http.close()
      await operations.close()
      await context[Symbol.asyncDispose]()
    }
    await operations.listen({ host: config.HOST, port: operationsPort })
    await http.listen({ host: config.HOST, port })
    return new InProcessApi([port, operationsPort], stop)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop()
  }
}
