/**
 * What an edge is told. It keeps pieces of videos for a long time and asks, before it gives one out, whether the viewer may have it; the video may have been deleted
 * meanwhile. It asks for nearly every piece, so what is known of a video is remembered for a moment.
 */
import { LRUCache } from 'lru-cache'
import type { Database } from '../../platform/db/database.ts'
import { assertOpens, type Viewer } from '../access-tokens/access-tokens.ts'
import { nothingToPlay } from './playback.rules.ts'
import { findVideoState, type VideoState } from './playback.store.ts'

/** As long as a revoked pass may be taken for a good one. */
const REMEMBERED_SECONDS = 1.5
/** Videos that are watched at once, on one instance. */
const REMEMBERED_MAX = 10_000

type Glance = Pick<VideoState, 'contentProtection'> | 'none'

export class EdgeAccess {
  readonly #database: Database
  readonly #seen = new LRUCache<string, Glance>({
    max: REMEMBERED_MAX,
    ttl: REMEMBERED_SECONDS * 1000,
  })

  constructor(database: Database) {
    this.#database = database
  }

  async assertMayHave(viewer: Viewer): Promise<void> {
    const seen = await this.#glanceAt(viewer)
    if (seen === 'none') throw nothingToPlay()
    assertOpens(viewer, seen.contentProtection)
  }

  async #glanceAt({ organizationId, assetId }: Viewer): Promise<Glance> {
    const name = `${organizationId}/${assetId}`
    const seen = this.#seen.get(name)
    if (seen) return seen
    const db = this.#database.forOrganization(organizationId)
    const found = (await findVideoState(db, assetId)) ?? 'none'
    this.#seen.set(name, found)
    return found
  }
}
