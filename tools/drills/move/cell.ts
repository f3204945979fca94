/** A complete cell: Postgres, storage, an API and a worker. */
import {
  ApiProcess,
  resetDatabase,
  runStack,
  type Stack,
  type StackEnv,
  setUpUploads,
  stackEnv,
  WorkerProcess,
} from '@reelkeep/testkit'
import { receiverSettings } from '../load/load-receiver.ts'

export type CellOptions = {
  readonly stack: Stack
  /** URL for clients, served by the router. */
  readonly publicUrl: string
  readonly isKept: boolean
}

/**
 * Forms must stay valid during a migration, even on a slow machine. The migrator waits until they have expired, so they
 * must not be valid for hours.
 */
const sharedSettings = {
  ...receiverSettings,
  UPLOAD_LIFETIME_SECONDS: '600',
  UPLOAD_TRANSFER_SECONDS_MAX: '10',
}

export class Cell implements AsyncDisposable {
  readonly env: StackEnv
  readonly api: ApiProcess
  readonly worker: WorkerProcess
  readonly #options: CellOptions

  private constructor(env: StackEnv, api: ApiProcess, worker: WorkerProcess, options: CellOptions) {
    this.env = env
    this.api = api
    this.worker = worker
    this.#options = options
  }

  static async start(options: CellOptions): Promise<Cell> {
    // A killed run may have left an unfinished migration behind, because of which the database cannot be emptied.
    if (!options.isKept) await runStack('wipe', [], options.stack)
    await runStack('up', [], options.stack)
    const env = stackEnv(options.stack.name)
    await Promise.all([resetDatabase(env), setUpUploads(env)])
    const settings = { ...sharedSettings, PUBLIC_URL: options.publicUrl, TRUSTED_PROXY_HOPS: '1' }
    const api = await ApiProcess.start(settings, env)
    const worker = await WorkerProcess.start({ env, settings: sharedSettings })
    return new Cell(env, api, worker, options)
  }

  /** Entry of the cell in the cells file. */
  get entry() {
    const { env } = this
    return {
      api: [this.api.baseUrl],
      database: env.DATABASE_SUPERUSER_URL,
      keyEncryptionKeys: ['development'],
      storage: {
        endpoint: env.STORAGE_ENDPOINT,
        accessKeyId: env.STORAGE_ACCESS_KEY_ID,
        secretAccessKey: env.STORAGE_SECRET_ACCESS_KEY,
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.api[Symbol.asyncDispose](), this.worker[Symbol.asyncDispose]()])
    if (!this.#options.isKept) await runStack('wipe', [], this.#options.stack)
  }
}
