/**
 * State of the uploads of a command, from which the same command resumes. The state of a completed upload is kept until
 * all files of the command are uploaded, so that the same command does not upload it again. Each upload has its own
 * small file, so that parallel commands do not conflict, and files are replaced atomically. If saving fails, this is
 * reported once and the upload continues.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolder } from '../../../profile/folders.ts'
import { acquireLock, type Lock } from './lockfile.ts'

/** Identifies an upload: file, service and settings. */
export type UploadIdentity = {
  readonly url: string
  readonly organization: string
  readonly realPath: string
  readonly sizeBytes: number
  readonly modifiedAtMilliseconds: number
  /** Settings of the session, which cannot be changed later. */
  readonly settings: object
}

export type UnfinishedUpload = { readonly sessionUuid: string }

/** Days for which saved uploads are kept, longer than any session lasts. */
const KEPT_DAYS = 30
/** Maximum number of saved uploads whose age a command checks. */
const CHECKED_MAX = 1000

export class UnfinishedUploads {
  readonly #folder: string
  readonly #onError: (error: Error) => void
  #hasFailed = false
  /** Files of saved uploads that this command has found or written, and not removed or completed. */
  readonly #saved = new Set<string>()
  /** Files of saved uploads that are complete. */
  readonly #completed = new Set<string>()

  constructor(environment: Record<string, string | undefined>, onError: (error: Error) => void = () => {}) {
    this.#folder = join(stateFolder(environment), 'unfinished-uploads')
    this.#onError = onError
  }

  /** Prevents two commands from uploading to the same session. */
  async lock(identity: UploadIdentity): Promise<Lock> {
    const unlocked: Lock = { isAcquired: true, [Symbol.asyncDispose]: async () => {} }
    return this.#attempt(unlocked, async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      return acquireLock(`${this.#fileOf(identity)}.lock`)
    })
  }

  async find(identity: UploadIdentity): Promise<UnfinishedUpload | undefined> {
    const file = this.#fileOf(identity)
    const text = await readFile(file, 'utf8').catch(() => undefined)
    const upload = text === undefined ? undefined : parsed(text)
    if (upload) this.#saved.add(file)
    return upload
  }

  /** Whether there is an incomplete upload to resume. */
  hasAny(): boolean {
    return this.#saved.size > 0
  }

  /** Saves the state of an upload in a file that only its owner can read. */
  async save(identity: UploadIdentity, upload: UnfinishedUpload): Promise<void> {
    const { url, organization, realPath } = identity
    const text = JSON.stringify({ url, organization, realPath, ...upload }, null, 2)
    await this.#attempt(undefined, async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const file = this.#fileOf(identity)
      const draft = `${file}.${randomUUID()}`
      await writeFile(draft, `${text}\n`, { mode: 0o600 })
      await rename(draft, file)
      this.#saved.add(file)
    })
  }

  async remove(identity: UploadIdentity): Promise<void> {
    const file = this.#fileOf(identity)
    this.#saved.delete(file)
    await this.#attempt(undefined, () => rm(file, { force: true }))
  }

  /** Marks an upload as complete. Its state is kept until `removeCompleted`. */
  complete(identity: UploadIdentity): void {
    const file = this.#fileOf(identity)
    if (this.#saved.delete(file)) this.#completed.add(file)
  }

  /** Removes the state of completed uploads. Called when all files of the command are uploaded. */
  async removeCompleted(): Promise<void> {
    for (const file of this.#completed) await this.#attempt(undefined, () => rm(file, { force: true }))
    this.#completed.clear()
  }

  async removeOld(now: Date): Promise<void> {
    const names = await readdir(this.#folder).catch(() => [])
    for (const name of names.slice(0, CHECKED_MAX)) {
      const file = join(this.#folder, name)
      const stats = await stat(file).catch(() => undefined)
      const days = stats ? (now.getTime() - stats.mtimeMs) / 86_400_000 : 0
      if (days > KEPT_DAYS) await this.#attempt(undefined, () => rm(file, { force: true }))
    }
  }

  async #attempt<Result>(otherwise: Result, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (!this.#hasFailed) this.#onError(error as Error)
      this.#hasFailed = true
      return otherwise
    }
  }

  #fileOf(identity: UploadIdentity): string {
    const { url, organization, realPath, sizeBytes, modifiedAtMilliseconds, settings } = identity
    const parts = [url, organization, realPath, sizeBytes, modifiedAtMilliseconds, settings]
    const name = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
    return join(this.#folder, `${name}.json`)
  }
}

/** Parses the file of a saved upload. Invalid content counts as missing. */
function parsed(text: string): UnfinishedUpload | undefined {
  try {
    const { sessionUuid }: Partial<UnfinishedUpload> = JSON.parse(text)
    return typeof sessionUuid === 'string' ? { sessionUuid } : undefined
  } catch {
    return undefined
  }
}
