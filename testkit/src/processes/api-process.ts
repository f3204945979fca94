import type { Send } from '../caller.ts'
import { databaseTimeouts } from '../settings.ts'
import { freePort } from './free-port.ts'
import { ServiceProcess } from './service-process.ts'
import { type StackEnv, stackEnv } from './stack.ts'

type ApiSettings = Record<string, string> & { readonly PORT: string }

/** The API as an operator runs it, called over the network. */
export class ApiProcess extends ServiceProcess {
  readonly baseUrl: string

  private constructor(entry: string, operationsPort: number, settings: ApiSettings) {
    super(entry, operationsPort, settings)
    this.baseUrl = `http://127.0.0.1:${settings.PORT}`
  }

  /** `entry` is a path relative to the root of the repository. */
  static async start(
    settings: Record<string, string> = {},
    env: StackEnv = stackEnv(),
    entry = 'server/src/main/api.ts',
  ): Promise<ApiProcess> {
    const [port, operationsPort] = [settings['PORT'] ?? String(await freePort()), await freePort()]
    const api = new ApiProcess(entry, operationsPort, {
      ...databaseTimeouts,
      ...env,
      PORT: port,
      OPERATIONS_PORT: String(operationsPort),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      RATE_LIMIT_PER_MINUTE: '100000000',
      FAILED_PLAYBACK_PER_MINUTE: '100000000',
      DRAIN_SECONDS: '0',
      ...settings,
    })
    await api.ready()
    return api
  }

  readonly send: Send = async ({ method, path, headers, body }) => {
    const answer = await fetch(this.baseUrl + path, { method, headers, body: body ?? null })
    const text = await answer.text()
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text }
  }
}
