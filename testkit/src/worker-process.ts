import { freePort } from './free-port.ts'
import { ServiceProcess } from './service-process.ts'
import { type StackEnv, stackEnv } from './stack.ts'

type WorkerStart = {
  /** A path from the root of the repository; the service's own worker unless told otherwise. */
  readonly entry?: string
  readonly settings?: Record<string, string>
  readonly env?: StackEnv
}

/** A worker as an operator runs it. */
export class WorkerProcess extends ServiceProcess {
  static async start({
    entry = 'server/src/main/worker.ts',
    settings = {},
    env = stackEnv(),
  }: WorkerStart = {}): Promise<WorkerProcess> {
    const port = await freePort()
    const worker = new WorkerProcess(entry, port, {
      ...env,
      WORKER_OPERATIONS_PORT: String(port),
      WORKER_DRAIN_SECONDS: '0',
      ...settings,
    })
    await worker.ready()
    return worker
  }
}
