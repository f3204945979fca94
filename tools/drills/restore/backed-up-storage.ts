/** Storage of a stack under load that is repeatedly backed up to a second storage with the admin commands. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commandEnvironment, root, runStack, type Stack, type StackEnv, stackBeside, stackEnv } from '@reelkeep/testkit'

const run = promisify(execFile)

export type AdminAnswer = {
  readonly code: number
  readonly result: Record<string, unknown>
  readonly stderr: string
}

export type MissingRow = {
  readonly missing: string
  readonly asset: string
  readonly remedy: string
}
export type OrphanRow = { readonly orphan: string; readonly prefix: string }

/** One run of the backup, which copies everything that existed when it began. */
type BackupRun = { readonly startedAt: number; readonly bytes: number }

const PORTS_PER_STACK = 40
const PAUSE_MILLISECONDS = 500

export class BackedUpStorage implements AsyncDisposable {
  readonly #env: StackEnv
  readonly #settings: Record<string, string>
  readonly #otherStack: Stack
  readonly backupRuns: BackupRun[] = []
  #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()

  private constructor(env: StackEnv, otherStack: Stack, other: StackEnv) {
    this.#env = env
    this.#otherStack = otherStack
    this.#settings = {
      BACKUP_STORAGE_ENDPOINT: other.STORAGE_ENDPOINT,
      BACKUP_STORAGE_ACCESS_KEY_ID: other.STORAGE_ACCESS_KEY_ID,
      BACKUP_STORAGE_SECRET_ACCESS_KEY: other.STORAGE_SECRET_ACCESS_KEY,
    }
  }

  /** Starts a second storage for the backup. */
  static async open(env: StackEnv): Promise<BackedUpStorage> {
    const otherStack = stackBeside('backup', PORTS_PER_STACK)
    await runStack('wipe', [], otherStack)
    await runStack('up', ['ceph'], otherStack)
    return new BackedUpStorage(env, otherStack, stackEnv(otherStack.name))
  }

  /** Runs backups, one after the other, until `end` is called. */
  begin(): void {
    this.#stopping = new AbortController()
    this.#running = this.#runBackups(this.#stopping.signal)
  }

  /** Stops the backups after the current run, which fails if storage is lost. */
  async end(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Start time of the last finished backup run. */
  get lastStartedAt(): number {
    return this.backupRuns.at(-1)?.startedAt ?? 0
  }

  async admin(...args: string[]): Promise<AdminAnswer> {
    const command = [join(root, 'server/src/main/admin.ts'), ...args, '--json']
    const env = { ...commandEnvironment, ...this.#env, ...this.#settings }
    try {
      const { stdout, stderr } = await run(process.execPath, command, { env, maxBuffer: 2 ** 26 })
      return { code: 0, result: JSON.parse(stdout) as AdminAnswer['result'], stderr }
    } catch (error) {
      const { code = 1, stdout = '', stderr = String(error) } = error as Partial<AdminAnswer & { stdout: string }>
      return { code, result: stdout === '' ? {} : JSON.parse(stdout), stderr }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end()
    await runStack('wipe', [], this.#otherStack)
  }

  async #runBackups(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const startedAt = Date.now()
      const { code, result } = await this.admin('backup-storage')
      if (code === 0 && !over.aborted) this.backupRuns.push({ startedAt, bytes: Number(result['bytes']) })
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS))
    }
  }
}
