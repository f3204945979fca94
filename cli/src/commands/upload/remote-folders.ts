import { type CallOptions, type Reelkeep, titleOf } from 'reelkeep'
import { findByTitle } from '../find-by-title.ts'

/** Folders of nearly the same title in one place; whoever has more gets another one. */
const LOOKED_AT_MAX = 1000

/**
 * Folders of the service for those on a disk: one that is there is used, one that is missing is
 * created, and each only once.
 */
export class RemoteFolders {
  readonly #known = new Map<string, Promise<string>>()
  readonly #reelkeep: Pick<Reelkeep, 'folders'>
  /** Where they all lie in; null at the root. */
  readonly #within: string | null
  readonly #options: CallOptions

  constructor(reelkeep: Pick<Reelkeep, 'folders'>, within: string | null, options: CallOptions) {
    this.#reelkeep = reelkeep
    this.#within = within
    this.#options = options
  }

  /** The uuid of the last one. */
  async require(names: readonly string[]): Promise<string | null> {
    const name = names.at(-1)
    if (name === undefined) return this.#within
    const key = JSON.stringify(names)
    const known = this.#known.get(key)
    if (known) return known
    const found = this.#findOrCreate(titleOf(name), names.slice(0, -1))
    this.#known.set(key, found)
    // Several files wait for the same one; whoever comes after a failure tries again.
    found.catch(() => this.#known.delete(key))
    return found
  }

  async #findOrCreate(title: string, outer: readonly string[]): Promise<string> {
    const parent = await this.require(outer)
    const { folders } = this.#reelkeep
    const [there] = await findByTitle(
      title,
      (q) => folders.list({ parent: parent ?? 'root', q }, this.#options),
      { countMax: 1, lookedAtMax: LOOKED_AT_MAX },
    )
    if (there) return there.uuid
    const { uuid } = await folders.create({ title, parent }, this.#options)
    return uuid
  }
}
