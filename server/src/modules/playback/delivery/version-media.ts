/** Resolves the version in a playback URL to the id under which its files are stored. */
import { LRUCache } from 'lru-cache'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import type { Database } from '../../../platform/db/database.ts'
import { nothingToPlay } from '../playback.rules.ts'
import { findVersionMedia } from '../playback.store.ts'

/** Maximum number of cached versions: those watched concurrently on one instance. */
const CACHED_MAX = 10_000

export class VersionMedia {
  readonly #database: Database
  /** A version keeps its id. After its deletion, nothing is found under that id. */
  readonly #ids = new LRUCache<string, AssetId>({ max: CACHED_MAX })

  constructor(database: Database) {
    this.#database = database
  }

  /** The id for version `number`; that of the asset itself if the URL has no version. */
  async idOf(organizationId: OrganizationId, assetId: AssetId, number: number | null): Promise<AssetId> {
    if (number === null) return assetId
    const name = `${organizationId}/${assetId}/${number}`
    const id =
      this.#ids.get(name) ?? (await findVersionMedia(this.#database.forRequest(organizationId), assetId, number))
    if (!id) throw nothingToPlay()
    this.#ids.set(name, id)
    return id
  }
}
