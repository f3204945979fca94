/**
 * A fleet of workers that can be killed, frozen, stopped and restarted; the steps each one was running are recorded
 * first.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type StackEnv, Superuser, WorkerProcess } from '@reelkeep/testkit'
import type { Blow } from './pipeline-schedule.ts'

/** A step claimed by a worker. Null: the engine had assigned the job, and the attempt had not drawn a fence yet. */
export type StepInHand = {
  readonly assetId: string
  readonly step: string
  readonly token: number | null
}

/** A worker was killed or frozen. */
export type Interruption = {
  readonly what: 'kill' | 'freeze'
  readonly at: number
  readonly forMilliseconds: number
  readonly worker: string
  readonly isRenamed: boolean
  readonly steps: readonly StepInHand[]
}

type Named = { readonly name: string; readonly process: WorkerProcess }

type Slot = { name: string; process: WorkerProcess | undefined; isStruck: boolean }

type CrewOptions = {
  readonly entry: string
  readonly count: number
  readonly env: StackEnv
  readonly settings: Record<string, string>
}

/** Postgres may be down when a worker starts, and many start at once. */
const STARTS_MAX = 10

const LAST_WORDS = 8

export class Crew implements AsyncDisposable {
  readonly interruptions: Interruption[] = []
  /** Killed ones included, because their logs are kept to the end. */
  readonly #all: Named[] = []
  readonly #slots: Slot[] = []
  readonly #options: CrewOptions
  /** Workers that ended unexpectedly, with the end of their logs. */
  readonly deserters: string[] = []
  #names = 0

  private constructor(options: CrewOptions) {
    this.#options = options
  }

  static async start(options: CrewOptions): Promise<Crew> {
    const crew = new Crew(options)
    for (let slot = 0; slot < options.count; slot++) {
      crew.#slots.push({ name: crew.#newName(), process: undefined, isStruck: false })
    }
    await Promise.all(crew.#slots.map((slot) => crew.#start(slot)))
    return crew
  }

  /**
   * Strikes the worker of that number, or the next running one, once more than half of them run; otherwise no worker
   * could recover anything. Resolves when it runs again.
   */
  async strike(blow: Blow): Promise<void> {
    const slot = await this.#standing(blow.slot)
    slot.isStruck = true
    try {
      if (slot.process?.child.exitCode !== null) this.#noteDesertion(slot, 'ended by itself')
      if (blow.what === 'drain') await this.#drain(slot, blow)
      else if (blow.what === 'freeze') await this.#freeze(slot, blow)
      else await this.#kill(slot, blow)
    } finally {
      slot.isStruck = false
    }
  }

  /** Log lines of all workers that contain this word. */
  linesAbout(word: string): string[] {
    const linesOf = ({ name, process: { log } }: Named) =>
      log
        .split('\n')
        .filter((line) => line.includes(word))
        .map((line) => `${name}: ${line}`)
    return this.#all.flatMap(linesOf)
  }

  async #kill(slot: Slot, blow: Blow): Promise<void> {
    await this.#interrupt('kill', slot, blow)
    await slot.process?.stop('SIGKILL')
    await sleep(blow.forMilliseconds)
    if (blow.isRenamed) slot.name = this.#newName()
    await this.#start(slot)
  }

  async #freeze(slot: Slot, blow: Blow): Promise<void> {
    await this.#interrupt('freeze', slot, blow)
    await sleep(blow.forMilliseconds)
    slot.process?.child.kill('SIGCONT')
  }

  async #drain(slot: Slot, { forMilliseconds, isRenamed, drainSeconds }: Blow): Promise<void> {
    const code = await slot.process?.stop('SIGTERM')
    if (code !== 0) this.#noteDesertion(slot, `stopped, ended with ${code}`)
    await sleep(forMilliseconds)
    if (isRenamed) slot.name = this.#newName()
    await this.#start(slot, { WORKER_DRAIN_SECONDS: String(drainSeconds) })
  }

  /** It is frozen while its claimed steps are read, so that they are still the same when it is killed. */
  async #interrupt(what: Interruption['what'], slot: Slot, blow: Blow): Promise<void> {
    slot.process?.child.kill('SIGSTOP')
    const at = Date.now()
    const steps = await stepsInHand(this.#options.env, slot.name).catch(() => [])
    const { forMilliseconds, isRenamed } = blow
    this.interruptions.push({ what, at, forMilliseconds, worker: slot.name, isRenamed, steps })
  }

  #noteDesertion({ name, process }: Slot, how: string): void {
    const words = process?.log.trim().split('\n').slice(-LAST_WORDS) ?? []
    this.deserters.push([`${name} ${how}`, ...words].join('\n    log          '))
  }

  async #standing(from: number): Promise<Slot> {
    for (;;) {
      const order = [...this.#slots.slice(from), ...this.#slots.slice(0, from)]
      const standing = order.filter(({ isStruck }) => !isStruck)
      if (standing[0] && standing.length > order.length / 2) return standing[0]
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

async function stepsInHand(env: StackEnv, worker: string): Promise<StepInHand[]> {
  await using superuser = await Superuser.open(env)
  return await superuser.query<StepInHand>(
    `select step.asset_id as "assetId", step.step, step.token
     from dbos.workflow_status as job
     join pipeline_steps as step on step.organization_id = job.queue_partition_key
       and step.step = job.name and step.asset_id::text = left(split_part(job.workflow_uuid, '/', 3), 36)
     where job.status = 'PENDING' and job.executor_id = $1 and step.state in ('waiting', 'running')`,
    [worker],
  )
}
