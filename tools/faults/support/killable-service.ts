import { ApiProcess, type Send, type StackEnv, WorkerProcess } from '@reelkeep/testkit'

/** A process of the service: the API, or the number of a worker. */
export type Part = 'api' | number

type Options = {
  readonly env: StackEnv
  /** Settings of the API and the workers. */
  readonly settings: Record<string, string>
  readonly workers?: number
}

/** An API and workers that are killed without warning and started again. */
export class KillableService implements AsyncDisposable {
  readonly #options: Options
  readonly #workers: WorkerProcess[] = []
  /** All processes, including killed ones. */
  readonly #all: (ApiProcess | WorkerProcess)[] = []
  /** The running API process, or the last one. */
  #api: ApiProcess | undefined
  #isApiUp = false
  #apiStarted = Promise.withResolvers<void>()

  private constructor(options: Options) {
    this.#options = options
  }

  static async start(options: Options): Promise<KillableService> {
    const service = new KillableService(options)
    await service.startAll()
    return service
  }

  async startAll(): Promise<void> {
    const numbers = Array.from({ length: this.#options.workers ?? 1 }, (_, number) => number)
    await Promise.all([this.start('api'), ...numbers.map((number) => this.start(number))])
  }

  async killAll(): Promise<void> {
    await Promise.all(['api' as const, ...this.#workers.keys()].map((part) => this.kill(part)))
  }

  /** Starts a process. A worker that is restarted with the same ID reclaims its jobs at once. */
  async start(part: Part, more: Record<string, string> = {}): Promise<void> {
    const { env } = this.#options
    const settings = { ...this.#options.settings, ...more }
    if (part === 'api') {
      this.#api = await ApiProcess.start(settings, env)
      this.#all.push(this.#api)
      this.#isApiUp = true
      this.#apiStarted.resolve()
      return
    }
    const named = { WORKER_ID: `worker-${part}`, ...settings }
    const worker = await WorkerProcess.start({ settings: named, env })
    this.#workers[part] = worker
    this.#all.push(worker)
  }

  async kill(part: Part): Promise<void> {
    if (part !== 'api') return void (await this.#workers[part]?.stop('SIGKILL'))
    this.#isApiUp = false
    this.#apiStarted = Promise.withResolvers()
    await this.#api?.stop('SIGKILL')
  }

  async restart(part: Part, more: Record<string, string> = {}): Promise<void> {
    await this.kill(part)
    await this.start(part, more)
  }

  /** The API process; undefined while it is down. */
  get api(): ApiProcess | undefined {
    return this.#isApiUp ? this.#api : undefined
  }

  /** URL of the running API process, or of the last one. */
  get baseUrl(): string {
    return this.#api?.baseUrl ?? ''
  }

  /** Sends a request to the API. Rejects while the API is down. */
  readonly send: Send = async (request) => {
    if (!this.#api) throw new Error('The API has not been started')
    return this.#api.send(request)
  }

  /** Waits until the API is up, and returns its process. */
  async runningApi(): Promise<ApiProcess> {
    for (;;) {
      if (this.api) return this.api
      await this.#apiStarted.promise
    }
  }

  /** Log lines of any process that contain this text. */
  logLines(text: string): string[] {
    return this.#all.flatMap(({ log }) => log.split('\n').filter((line) => line.includes(text)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((process) => process[Symbol.asyncDispose]()))
  }
}
