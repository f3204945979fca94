import { ApiProcess, type Send, type StackEnv, WorkerProcess } from '@reelkeep/testkit'
import { receiverSettings } from './load-receiver.ts'

/** How often the worker looks for files that nobody told of. */
export const SWEEP_SECONDS = 1

/** An API and a worker that are lost with everything else, and started again somewhere. */
export class RestoredService implements AsyncDisposable {
  readonly #env: StackEnv
  #api: ApiProcess | undefined
  #worker: WorkerProcess | undefined
  #baseUrl = ''

  constructor(env: StackEnv) {
    this.#env = env
  }

  async start(): Promise<void> {
    // Under its name it takes up at once what it had when it died.
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

  /** Where it was last, or is. */
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
