import { type Reelkeep, titleOf } from 'reelkeep'
import { findByTitle } from '../../find-by-title.ts'
import { RetryNotice } from '../progress/retry-notice.ts'
import type { RetryPolicy } from '../retry-policy.ts'

/** Maximum number of folders with a similar title to check; beyond it, a new folder is created. */
const CHECKED_MAX = 1000

type RetryOptions = { readonly signal: AbortSignal; readonly retryPolicy: RetryPolicy }

/** Maps local folders to folders in the service. Uses existing folders, and creates each missing folder once. */
export class RemoteFolders {
  readonly #known = new Map<string, Promise<string>>()
  readonly #reelkeep: Pick<Reelkeep, 'folders'>
  /** Parent of all folders; null for the root. */
  readonly #within: string | null
  readonly #options: RetryOptions

  constructor(reelkeep: Pick<Reelkeep, 'folders'>, within: string | null, options: RetryOptions) {
    this.#reelkeep = reelkeep
    this.#within = within
    this.#options = options
  }

  /** Returns the uuid of the innermost folder. `onNote` reports delays. */
  async require(names: readonly string[], onNote: (text: string) => void): Promise<string | null> {
    const name = names.at(-1)
    if (name === undefined) return this.#within
    const key = JSON.stringify(names)
    const known = this.#known.get(key)
    if (known) return known
    const { retryPolicy } = this.#options
    const found = this.require(names.slice(0, -1), onNote).then((parent) =>
      retryPolicy.run(() => this.#findOrCreate(titleOf(name), parent), new RetryNotice(onNote).paused),
    )
    this.#known.set(key, found)
    // Several files may wait for the same folder. After a failure, the next file retries.
    found.catch(() => this.#known.delete(key))
    return found
  }

  /** Finds or creates a folder. A retry finds the folder that was created by an attempt whose response was lost. */
  async #findOrCreate(title: string, parent: string | null): Promise<string> {
    const { folders } = this.#reelkeep
    const { signal } = this.#options
    const [there] = await findByTitle(title, (q) => folders.list({ parent: parent ?? 'root', q }, { signal }), {
      countMax: 1,
      checkedMax: CHECKED_MAX,
    })
    if (there) return there.uuid
    const { uuid } = await folders.create({ title, parent }, { signal })
    return uuid
  }
}
