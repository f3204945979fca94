/**
 * A fleet of workers that can be killed, frozen, stopped and restarted. Before a worker is killed or frozen, its
 * claimed steps are recorded.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type StackEnv, Superuser, WorkerProcess } from '@reelkeep/testkit'
import type { Fault } from './pipeline-schedule.ts'

/** A step claimed by a worker. `token` is null if the engine had assigned the job, but the attempt had no fence yet. */
export type ClaimedStep = {
  readonly assetId: string
  readonly step: string
  readonly token: number | null
}

/** Record of a worker that was killed or frozen. */
export type Interruption = {
  readonly what: 'kill' | 'freeze'
  readonly at: number
  readonly forMilliseconds: number
  readonly worker: string
  readonly isRenamed: boolean
  readonly steps: readonly ClaimedStep[]
}

type NamedWorker = { readonly name: string; readonly process: WorkerProcess }

type Slot = { name: string; process: WorkerProcess | undefined; isDown: boolean }

type FleetOptions = {
  readonly entry: string
  readonly count: number
  readonly env: StackEnv
  readonly settings: Record<string, string>
}

/** Maximum number of attempts to start a worker: Postgres may be down, or many workers may start at once. */
const STARTS_MAX = 10

const LOG_LINES_KEPT = 8

export class WorkerFleet implements AsyncDisposable {
  readonly interruptions: Interruption[] = []
  /** All workers, including killed ones, because their logs are needed at the end. */
  readonly #all: NamedWorker[] = []
  readonly #slots: Slot[] = []
  readonly #options: FleetOptions
  /** Workers that ended unexpectedly, with the end of their logs. */
  readonly unexpectedExits: string[] = []
  #names = 0

  private constructor(options: FleetOptions) {
    this.#options = options
  }

  static async start(options: FleetOptions): Promise<WorkerFleet> {
    const fleet = new WorkerFleet(options)
    for (let slot = 0; slot < options.count; slot++) {
      fleet.#slots.push({ name: fleet.#newName(), process: undefined, isDown: false })
    }
    await Promise.all(fleet.#slots.map((slot) => fleet.#start(slot)))
    return fleet
  }

  /**
   * Interrupts the worker with the number in `fault`, or the next running worker. Waits until more than half of the
   * workers run, so that others can take over the work. Resolves when the worker runs again.
   */
  async inject(fault: Fault): Promise<void> {
    const slot = await this.#runningSlot(fault.slot)
    slot.isDown = true
    try {
      if (slot.process?.child.exitCode !== null) this.#recordExit(slot, 'exited unexpectedly')
      if (fault.what === 'drain') await this.#drain(slot, fault)
      else if (fault.what === 'freeze') await this.#freeze(slot, fault)
      else await this.#kill(slot, fault)
    } finally {
      slot.isDown = false
    }
  }

  /** Log lines of all workers that contain this word. */
  linesAbout(word: string): string[] {
    const linesOf = ({ name, process: { log } }: NamedWorker) =>
      log
        .split('\n')
        .filter((line) => line.includes(word))
        .map((line) => `${name}: ${line}`)
    return this.#all.flatMap(linesOf)
  }

  async #kill(slot: Slot, fault: Fault): Promise<void> {
    await this.#interrupt('kill', slot, fault)
    await slot.process?.stop('SIGKILL')
    await sleep(fault.forMilliseconds)
    if (fault.isRenamed) slot.name = this.#newName()
    await this.#start(slot)
  }

  async #freeze(slot: Slot, fault: Fault): Promise<void> {
    await this.#interrupt('freeze', slot, fault)
    await sleep(fault.forMilliseconds)
    slot.process?.child.kill('SIGCONT')
  }

  async #drain(slot: Slot, { forMilliseconds, isRenamed, drainSeconds }: Fault): Promise<void> {
    const code = await slot.process?.stop('SIGTERM')
    if (code !== 0) this.#recordExit(slot, `stopped, ended with ${code}`)
    await sleep(forMilliseconds)
    if (isRenamed) slot.name = this.#newName()
    await this.#start(slot, { WORKER_DRAIN_SECONDS: String(drainSeconds) })
  }

  /**
   * Freezes the worker and records its claimed steps. The steps cannot change before the worker is killed, because it
   * is frozen.
   */
  async #interrupt(what: Interruption['what'], slot: Slot, fault: Fault): Promise<void> {
    slot.process?.child.kill('SIGSTOP')
    const at = Date.now()
    const steps = await claimedSteps(this.#options.env, slot.name).catch(() => [])
    const { forMilliseconds, isRenamed } = fault
    this.interruptions.push({ what, at, forMilliseconds, worker: slot.name, isRenamed, steps })
  }

  #recordExit({ name, process }: Slot, how: string): void {
    const lines = process?.log.trim().split('\n').slice(-LOG_LINES_KEPT) ?? []
    this.unexpectedExits.push([`${name} ${how}`, ...lines].join('\n    log          '))
  }

  async #runningSlot(from: number): Promise<Slot> {
    for (;;) {
      const order = [...this.#slots.slice(from), ...this.#slots.slice(0, from)]
      const running = order.filter(({ isDown }) => !isDown)
      if (running[0] && running.length > order.length / 2) return running[0]
      await sleep(100)
    }
  }

  async #start(slot: Slot, more: Record<string, string> = {}): Promise<void> {
    const { entry, env, settings } = this.#options
    const named = { ...settings, ...more, WORKER_ID: slot.name }
    for (let start = 1; ; start++) {
      try {
        slot.process = await WorkerProcess.start({ entry, env, settings: named })
        this.#all.push({ name: slot.name, process: slot.process })
        return
      } catch (error) {
        if (start === STARTS_MAX) throw error
      }
    }
  }

  #newName(): string {
    this.#names++
    return `worker-${this.#names}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map(({ process }) => process[Symbol.asyncDispose]()))
  }
}

async function claimedSteps(env: StackEnv, worker: string): Promise<ClaimedStep[]> {
  await using superuser = await Superuser.open(env)
  return await superuser.query<ClaimedStep>(
    `select step.asset_id as "assetId", step.step, step.token
     from dbos.workflow_status as job
     join pipeline_steps as step on step.organization_id = job.queue_partition_key
       and step.step = job.name and step.asset_id::text = left(split_part(job.workflow_uuid, '/', 3), 36)
     where job.status = 'PENDING' and job.executor_id = $1 and step.state in ('waiting', 'running')`,
    [worker],
  )
}
