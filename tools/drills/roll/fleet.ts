/**
 * Two API instances and two workers, like a small deployment; each can be replaced by another version or other
 * settings.
 */
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiProcess, freePort, root, type StackEnv, Superuser, WorkerProcess } from '@reelkeep/testkit'

/** The version and settings of an instance. */
export type Release = {
  /** A checkout of the repository with its installed packages. */
  readonly folder: string
  readonly env: StackEnv
  readonly settings: Record<string, string>
}

/** Default of `DRAIN_SECONDS` in the service. */
const DRAIN_SECONDS = '5'
const WORKER_DRAIN_SECONDS = '5'
const INSTANCES = 2
/** Maximum time to wait until a step is running, so that a worker is stopped in the middle of a step. */
const BUSY_SECONDS_MAX = 15
const POLL_MILLISECONDS = 50

const isError = /"level":"(error|fatal)"/

/** Place of one instance; `process` is undefined until the replacement has started. */
type Slot<Process> = {
  readonly name: string
  readonly port: string
  process: Process | undefined
}

export class Fleet implements AsyncDisposable {
  readonly #apis: Slot<ApiProcess>[] = []
  readonly #workers: Slot<WorkerProcess>[] = []
  /** Processes that ended with an error, and errors in their logs. */
  readonly violations: string[] = []
  readonly runningStepsAtStop: number[] = []

  static async start(release: Release): Promise<Fleet> {
    const fleet = new Fleet()
    for (let number = 1; number <= INSTANCES; number++) {
      const [port, name] = [String(await freePort()), `worker-${number}`]
      const [api, worker] = await Promise.all([startApi(release, port), startWorker(release, name)])
      fleet.#apis.push({ name: `api-${number}`, port, process: api })
      fleet.#workers.push({ name, port: '', process: worker })
    }
    return fleet
  }

  get addresses(): readonly string[] {
    return this.#apis.map(({ port }) => `127.0.0.1:${port}`)
  }

  get api(): ApiProcess {
    const [first] = this.#apis
    if (!first?.process) throw new Error('There is no API')
    return first.process
  }

  /**
   * Replaces all instances, one API instance and one worker at a time: stops the old one, then waits until the new one
   * is ready.
   */
  async roll(release: Release, between: () => Promise<void> = async () => {}): Promise<void> {
    await Promise.all([this.#rollApis(release, between), this.#rollWorkers(release)])
  }

  async #rollApis(release: Release, between: () => Promise<void>): Promise<void> {
    for (const [index, slot] of this.#apis.entries()) {
      await this.#end(slot)
      slot.process = await startApi(release, slot.port)
      if (index === 0) await between()
    }
  }

  async #rollWorkers(release: Release): Promise<void> {
    for (const slot of this.#workers) {
      this.runningStepsAtStop.push(await waitUntilStepsRun(release.env))
      await this.#end(slot)
      slot.process = await startWorker(release, slot.name)
    }
  }

  async #end(slot: Slot<ApiProcess | WorkerProcess>): Promise<void> {
    const { name, process } = slot
    if (!process) return
    slot.process = undefined
    const code = await process.stop('SIGTERM')
    const errors = process.log.split('\n').filter((line) => isError.test(line))
    if (code !== 0) this.violations.push(`${name} ended with ${code}`)
    this.violations.push(...errors.map((line) => `${name}: ${line}`))
    await process[Symbol.asyncDispose]()
  }

  /** Stops all instances, and adds their errors to `violations`. */
  async stop(): Promise<void> {
    const slots = [...this.#apis, ...this.#workers]
    await Promise.all(slots.map((slot) => this.#end(slot)))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

/** Waits until steps are running. Returns their number; 0 after the time limit. */
async function waitUntilStepsRun(env: StackEnv): Promise<number> {
  await using superuser = await Superuser.open(env)
  const deadline = performance.now() + BUSY_SECONDS_MAX * 1000
  for (;;) {
    const running = await superuser.query(`select from pipeline_steps where state = 'running'`)
    if (running.length > 0 || performance.now() > deadline) return running.length
    await sleep(POLL_MILLISECONDS)
  }
}

const entryOf = ({ folder }: Release, file: string) => relative(root, join(folder, 'server/src/main', file))

function startApi(release: Release, PORT: string): Promise<ApiProcess> {
  const settings = { DRAIN_SECONDS, TRUSTED_PROXY_HOPS: '1', ...release.settings, PORT }
  return ApiProcess.start(settings, release.env, entryOf(release, 'api.ts'))
}

function startWorker(release: Release, WORKER_ID: string): Promise<WorkerProcess> {
  const settings = { WORKER_DRAIN_SECONDS, ...release.settings, WORKER_ID }
  return WorkerProcess.start({ settings, env: release.env, entry: entryOf(release, 'worker.ts') })
}
