import { type Reelkeep, titleOf } from 'reelkeep'
import { findByTitle } from '../find-by-title.ts'
import { Outage } from './outage.ts'
import type { Patience } from './patience.ts'

/** Folders of nearly the same title in one place; whoever has more gets another one. */
const LOOKED_AT_MAX = 1000

type Manner = { readonly signal: AbortSignal; readonly patience: Patience }

/**
 * Folders of the service for those on a disk: one that is there is used, one that is missing is
 * created, and each only once.
 */
export class RemoteFolders {
  readonly #known = new Map<string, Promise<string>>()
  readonly #reelkeep: Pick<Reelkeep, 'folders'>
  /** Where they all lie in; null at the root. */
  readonly #within: string | null
  readonly #manner: Manner

  constructor(reelkeep: Pick<Reelkeep, 'folders'>, within: string | null, manner: Manner) {
    this.#reelkeep = reelkeep
    this.#within = within
    this.#manner = manner
  }

  /** The uuid of the last one. `onNote` is told why it takes long. */
  async require(names: readonly string[], onNote: (text: string) => void): Promise<string | null> {
    const name = names.at(-1)
    if (name === undefined) return this.#within
    const key = JSON.stringify(names)
    const known = this.#known.get(key)
    if (known) return known
    const { patience } = this.#manner
    const found = this.require(names.slice(0, -1), onNote).then((parent) =>
      patience.through(() => this.#findOrCreate(titleOf(name), parent), new Outage(onNote).paused),
    )
    this.#known.set(key, found)
    // Several files wait for the same one; whoever comes after a failure tries again.
    found.catch(() => this.#known.delete(key))
    return found
  }

  /** Done again, it finds what was created by a try whose answer was lost. */
  async #findOrCreate(title: string, parent: string | null): Promise<string> {
    const { folders } = this.#reelkeep
    const { signal } = this.#manner
    const [there] = await findByTitle(
      title,
      (q) => folders.list({ parent: parent ?? 'root', q }, { signal }),
      { countMax: 1, lookedAtMax: LOOKED_AT_MAX },
    )
    if (there) return there.uuid
    const { uuid } = await folders.create({ title, parent }, { signal })
    return uuid
  }
}
