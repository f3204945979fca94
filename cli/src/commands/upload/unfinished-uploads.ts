/**
 * What is remembered of uploads that are under way, so that the same command goes on where it was
 * stopped. Each has a small file of its own: commands that run side by side have nothing to fight
 * about, and a file is replaced as a whole. A memory that fails is a nuisance and no failure of an
 * upload: it is told once, and the upload goes on.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolder } from '../../profile/folders.ts'
import { type Claim, claim } from './claim.ts'

/** Which upload it is: another file, another service or another wish make another one. */
export type UploadIdentity = {
  readonly url: string
  readonly organization: string
  readonly realPath: string
  readonly sizeBytes: number
  readonly modifiedAtMilliseconds: number
  /** What was asked for beside the file: a session keeps to what it was created with. */
  readonly wish: object
}

export type UnfinishedUpload = { readonly sessionUuid: string }

/** Long after every session is over, whoever forgot the file. */
const KEPT_DAYS = 30
/** As many are looked at for their age in one go. */
const LOOKED_AT_MAX = 1000

export class UnfinishedUploads {
  readonly #folder: string
  readonly #onTrouble: (error: Error) => void
  #isTroubled = false
  /** Files of uploads that this command has found or remembered, and not forgotten since. */
  readonly #held = new Set<string>()

  constructor(
    environment: Record<string, string | undefined>,
    onTrouble: (error: Error) => void = () => {},
  ) {
    this.#folder = join(stateFolder(environment), 'unfinished-uploads')
    this.#onTrouble = onTrouble
  }

  /** Two commands in one session would send everything twice, so one of them has an upload to itself. */
  async claim(identity: UploadIdentity): Promise<Claim> {
    const alone: Claim = { isMine: true, [Symbol.asyncDispose]: async () => {} }
    return this.#tried(alone, async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      return claim(`${this.#fileOf(identity)}.lock`)
    })
  }

  async find(identity: UploadIdentity): Promise<UnfinishedUpload | undefined> {
    const file = this.#fileOf(identity)
    const text = await readFile(file, 'utf8').catch(() => undefined)
    const upload = text === undefined ? undefined : parsed(text)
    if (upload) this.#held.add(file)
    return upload
  }

  /** Whether the same command would have something to go on with. */
  holdsAny(): boolean {
    return this.#held.size > 0
  }

  /** For its owner's eyes only. */
  async remember(identity: UploadIdentity, upload: UnfinishedUpload): Promise<void> {
    const { url, organization, realPath } = identity
    const text = JSON.stringify({ url, organization, realPath, ...upload }, null, 2)
    await this.#tried(undefined, async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const file = this.#fileOf(identity)
      const draft = `${file}.${randomUUID()}`
      await writeFile(draft, `${text}\n`, { mode: 0o600 })
      await rename(draft, file)
      this.#held.add(file)
    })
  }

  async forget(identity: UploadIdentity): Promise<void> {
    const file = this.#fileOf(identity)
    this.#held.delete(file)
    await this.#tried(undefined, () => rm(file, { force: true }))
  }

  async forgetOldOnes(now: Date): Promise<void> {
    const names = await readdir(this.#folder).catch(() => [])
    for (const name of names.slice(0, LOOKED_AT_MAX)) {
      const file = join(this.#folder, name)
      const stats = await stat(file).catch(() => undefined)
      const days = stats ? (now.getTime() - stats.mtimeMs) / 86_400_000 : 0
      if (days > KEPT_DAYS) await this.#tried(undefined, () => rm(file, { force: true }))
    }
  }

  async #tried<Result>(otherwise: Result, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (!this.#isTroubled) this.#onTrouble(error as Error)
      this.#isTroubled = true
      return otherwise
    }
  }

  #fileOf(identity: UploadIdentity): string {
    const { url, organization, realPath, sizeBytes, modifiedAtMilliseconds, wish } = identity
    const parts = [url, organization, realPath, sizeBytes, modifiedAtMilliseconds, wish]
    const name = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
    return join(this.#folder, `${name}.json`)
  }
}

/** What somebody has edited is as good as forgotten. */
function parsed(text: string): UnfinishedUpload | undefined {
  try {
    const { sessionUuid }: Partial<UnfinishedUpload> = JSON.parse(text)
    return typeof sessionUuid === 'string' ? { sessionUuid } : undefined
  } catch {
    return undefined
  }
}
