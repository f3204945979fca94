import { ApiProcess, type Send, type StackEnv, WorkerProcess } from '@reelkeep/testkit'
import { receiverSettings } from '../load/load-receiver.ts'

/** Interval of the worker's sweep for undetected files. */
export const SWEEP_SECONDS = 1

/** An API and a worker that are lost with everything else, and started again. */
export class RestoredService implements AsyncDisposable {
  readonly #env: StackEnv
  #api: ApiProcess | undefined
  #worker: WorkerProcess | undefined
  #baseUrl = ''

  constructor(env: StackEnv) {
    this.#env = env
  }

  async start(): Promise<void> {
    // With the same ID it reclaims its jobs at once.
    const settings = {
      ...receiverSettings,
      ...{ WORKER_ID: 'rehearsal', UPLOAD_SWEEP_SECONDS: String(SWEEP_SECONDS) },
    }
    const [api, worker] = await Promise.all([
      ApiProcess.start(receiverSettings, this.#env),
      WorkerProcess.start({ env: this.#env, settings }),
    ])
    this.#api = api
    this.#worker = worker
    this.#baseUrl = api.baseUrl
  }

  async kill(): Promise<void> {
    await Promise.all([this.#api?.stop('SIGKILL'), this.#worker?.stop('SIGKILL')])
  }

  /** The current or last address. */
  readonly baseUrl = () => this.#baseUrl

  readonly send: Send = (request) => {
    if (!this.#api) throw new Error('The service has not been started')
    return this.#api.send(request)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#api?.[Symbol.asyncDispose]()
    await this.#worker?.[Symbol.asyncDispose]()
  }
}
