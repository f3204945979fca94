import { databaseTimeouts } from '../settings.ts'
import { freePort } from './free-port.ts'
import { ServiceProcess } from './service-process.ts'
import { type StackEnv, stackEnv } from './stack.ts'

type WorkerStart = {
  /** Entry point, as a path relative to the root of the repository (default: the worker of the service). */
  readonly entry?: string
  readonly settings?: Record<string, string>
  readonly env?: StackEnv
}

/**
 * Settings for tests that wait for heartbeats, recovery or polls. The lease stays at 10 seconds: on a busy machine a
 * live worker with a short lease would count as dead. Tests expire the lease of a killed worker by SQL instead.
 */
export const fastWorkerSettings = {
  WORKER_HEARTBEAT_SECONDS: '0.25',
  WORKER_POLL_MILLISECONDS: '100',
}

/** A worker as an operator runs it. */
export class WorkerProcess extends ServiceProcess {
  /** Starts a worker. Resolves when it is ready. */
  static async start(start?: WorkerStart): Promise<WorkerProcess> {
    const worker = await WorkerProcess.launch(start)
    await worker.ready()
    return worker
  }

  /** Starts a worker without waiting until it is ready. */
  static async launch({
    entry = 'server/src/main/worker.ts',
    settings = {},
    env = stackEnv(),
  }: WorkerStart = {}): Promise<WorkerProcess> {
    const port = await freePort()
    return new WorkerProcess(entry, port, {
      ...databaseTimeouts,
      ...env,
      WORKER_OPERATIONS_PORT: String(port),
      WORKER_DRAIN_SECONDS: '0',
      ...settings,
    })
  }
}
