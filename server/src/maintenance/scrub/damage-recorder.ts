/**
 * Records damaged files. If every file of a row is damaged, storage as a whole may be lost or answer wrongly: such rows
 * are recorded only after another file was read as it was stored. Otherwise nothing would be served any more, and
 * everything would be repaired, because of a wrong endpoint or an empty bucket.
 */
import { randomUUID } from 'node:crypto'
import {
  newestChecked,
  type PublishedFiles,
  pageOrganizations,
  readIntact,
} from '../../modules/published-files/published-files.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { unlessSuspended } from '../local-organizations.ts'
import { StorageLost } from './failure-limit.ts'

/** Rows that wait for an intact file. If there are more, files of other rows are read. */
const WAITING_MAX = 20
/** Organizations whose newest files are read. */
const SAMPLES_MAX = 20

export type Damage = {
  readonly db: OrganizationDb
  readonly row: PublishedFiles
  readonly damaged: readonly string[]
}

type RecorderOptions = {
  readonly database: Database
  readonly media: MediaBucket
  readonly signal: AbortSignal
  /** Returns false if the files are no longer published. */
  readonly record: (damage: Damage) => Promise<boolean>
  readonly onDamaged: (files: PublishedFiles, damaged: readonly string[]) => void
}

export class DamageRecorder {
  readonly #options: RecorderOptions
  #waiting: Damage[] = []
  /** Number of damaged files that were recorded. */
  files = 0

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** `hasIntact`: at least one file of the row was read as it was stored. */
  async add(damage: Damage, hasIntact: boolean): Promise<void> {
    if (damage.damaged.length > 0) this.#waiting.push(damage)
    if (hasIntact) await this.#recordWaiting()
    else if (this.#waiting.length >= WAITING_MAX) await this.#decide()
  }

  /** Records the rows that wait, or throws if storage has no file as it was stored. */
  async end(): Promise<void> {
    if (this.#waiting.length > 0) await this.#decide()
  }

  async #decide(): Promise<void> {
    const rows = this.#waiting.length
    const isWorking = (await this.#keepsObjects()) && (rows < WAITING_MAX || (await this.#hasIntactSample()))
    if (isWorking) return this.#recordWaiting()
    this.#waiting = []
    throw new StorageLost(
      `Storage has none of the files that were read, of ${rows} attempts, as they were stored. None was recorded as damaged. Check the endpoint and the bucket.`,
    )
  }

  async #recordWaiting(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    for (const damage of waiting) {
      if (!(await unlessSuspended(this.#options.record(damage), false))) continue
      this.files += damage.damaged.length
      this.#options.onDamaged(damage.row, damage.damaged)
    }
  }

  /** Whether storage returns an object as it was stored now. */
  async #keepsObjects(): Promise<boolean> {
    const { media, signal } = this.#options
    const key = `scrub-check/${randomUUID()}`
    try {
      const stored = await media.put({ key, body: key, type: 'text/plain' }, signal)
      return (await readIntact(media, key, { name: '', ...stored }, signal)) !== undefined
    } finally {
      await media.deleteAll(key)
    }
  }

  /** Whether storage has one of the files that were checked or published last. */
  async #hasIntactSample(): Promise<boolean> {
    const { database, media, signal } = this.#options
    for (const id of await pageOrganizations(database, '', SAMPLES_MAX)) {
      const row = await newestChecked(database.forOrganization(id))
      const [file] = row?.files ?? []
      if (row && file && (await readIntact(media, row.prefix, file, signal))) return true
    }
    return false
  }
}
