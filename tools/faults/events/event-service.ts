/** An API and workers that are killed and restarted at once. */
import { ApiProcess, type StackEnv, WorkerProcess } from '@reelkeep/testkit'
import { type ProcessFault, WORKERS } from './event-schedule.ts'

/**
 * The fourth pause is then three seconds, so a receiver that failed all the time gets its events soon after it
 * recovers.
 */
const FIRST_PAUSE_SECONDS = '0.002'

const settings = {
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  WEBHOOK_FIRST_PAUSE_SECONDS: FIRST_PAUSE_SECONDS,
  WORKER_QUEUES: 'light',
  DATABASE_CONNECTIONS_MAX: '8',
}

type WorkerSlot = { name: string; process: WorkerProcess | undefined }

export class EventService implements AsyncDisposable {
  readonly #env: StackEnv
  #api: ApiProcess | undefined
  /** Resolves when the API runs again. */
  #started = Promise.withResolvers<void>()
  readonly #slots: WorkerSlot[] = []
  readonly #killed: (ApiProcess | WorkerProcess)[] = []
  #names = 0

  private constructor(env: StackEnv) {
    this.#env = env
  }

  static async open(env: StackEnv): Promise<EventService> {
    const service = new EventService(env)
    for (let slot = 0; slot < WORKERS; slot++) {
      service.#slots.push({ name: service.#newName(), process: undefined })
    }
    await Promise.all([
      service.#startApi(),
      ...service.#slots.map((slot) => service.#startWorker(slot)),
    ])
    return service
  }

  get api(): ApiProcess | undefined {
    return this.#api
  }

  async runningApi(): Promise<ApiProcess> {
    for (;;) {
      if (this.#api) return this.#api
      await this.#started.promise
    }
  }

  /** Resolves when the killed process runs again. */
  async killAndRestart({ target, slot, isRenamed }: ProcessFault): Promise<void> {
    if (target === 'api') {
      const api = this.#api
      this.#api = undefined
      this.#started = Promise.withResolvers()
      await this.#kill(api)
      await this.#startApi()
      return
    }
    const killed = this.#slots[slot]
    if (!killed) throw new Error(`No worker ${slot}`)
    await this.#kill(killed.process)
    if (isRenamed) killed.name = this.#newName()
    await this.#startWorker(killed)
  }

  /** Log lines of any process, killed ones included, that contain this word. */
  logLines(word: string): string[] {
    return this.#all.flatMap(({ log }) => log.split('\n').filter((line) => line.includes(word)))
  }

  get #all(): (ApiProcess | WorkerProcess)[] {
    const running = [this.#api, ...this.#slots.map(({ process }) => process)]
    return [...this.#killed, ...running].filter((one) => one !== undefined)
  }

  async #kill(process: ApiProcess | WorkerProcess | undefined): Promise<void> {
    if (!process) return
    await process.stop('SIGKILL')
    this.#killed.push(process)
  }

  async #startApi(): Promise<void> {
    this.#api = await ApiProcess.start(settings, this.#env)
    this.#started.resolve()
  }

  async #startWorker(slot: WorkerSlot): Promise<void> {
    const named = { ...settings, WORKER_ID: slot.name }
    slot.process = await WorkerProcess.start({ settings: named, env: this.#env })
  }

  #newName(): string {
    this.#names++
    return `event-worker-${this.#names}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((process) => process[Symbol.asyncDispose]()))
  }
}
