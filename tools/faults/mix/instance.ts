/** A process of the service that is killed, frozen, stopped and started again with the same settings. */
import type { ApiProcess, WorkerProcess } from '@reelkeep/testkit'

type Process = ApiProcess | WorkerProcess

/** Maximum number of attempts to start: Postgres or storage may be unavailable. */
const STARTS_MAX = 10
const LOG_LINES_SHOWN = 8

export class Instance implements AsyncDisposable {
  readonly name: string
  readonly kind: 'api' | 'worker'
  /** Unexpected ends, with the last lines of the log. */
  readonly violations: string[] = []
  readonly #launch: () => Promise<Process>
  /** All processes, including ended ones, because their logs are checked at the end. */
  readonly #all: Process[] = []
  #process: Process | undefined

  constructor(kind: Instance['kind'], name: string, launch: () => Promise<Process>) {
    this.kind = kind
    this.name = name
    this.#launch = launch
  }

  async start(): Promise<void> {
    for (let start = 1; ; start++) {
      try {
        this.#process = await this.#launch()
        this.#all.push(this.#process)
        return
      } catch (error) {
        if (start === STARTS_MAX) throw error
      }
    }
  }

  async kill(): Promise<void> {
    this.#checkRunning()
    await this.#process?.stop('SIGKILL')
    this.#process = undefined
  }

  freeze(): void {
    this.#process?.child.kill('SIGSTOP')
  }

  resume(): void {
    this.#process?.child.kill('SIGCONT')
  }

  /** Stops the process as a deployment does; it must end with 0. */
  async stop(): Promise<void> {
    this.#checkRunning()
    const code = await this.#process?.stop('SIGTERM')
    if (code !== 0) this.#recordEnd(`ended with ${code} when it was stopped`)
    this.#process = undefined
  }

  get pid(): number | undefined {
    return this.#process?.child.pid
  }

  /** Log of all processes. */
  get log(): string {
    return this.#all.map(({ log }) => log).join('')
  }

  #checkRunning(): void {
    const { exitCode, signalCode } = this.#process?.child ?? {}
    if (exitCode != null || signalCode != null) this.#recordEnd(`ended by itself with ${exitCode ?? signalCode}`)
  }

  #recordEnd(how: string): void {
    const lines = this.#process?.log.trim().split('\n').slice(-LOG_LINES_SHOWN) ?? []
    this.violations.push([`${this.name} ${how}`, ...lines].join('\n    '))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((process) => process[Symbol.asyncDispose]()))
  }
}
