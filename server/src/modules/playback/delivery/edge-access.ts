/**
 * Access checks for edges. An edge caches media files for a long time and asks, for nearly every request, whether
 * the viewer may have the file; the video may have been deleted since. The state of a video is therefore cached for
 * a moment.
 */
import { LRUCache } from 'lru-cache'
import type { Database } from '../../../platform/db/database.ts'
import { assertOpens, type Viewer } from '../../playback-tokens/playback-tokens.ts'
import { nothingToPlay } from '../playback.rules.ts'
import { findVideoState, type VideoState } from '../playback.store.ts'

/** As long as a revoked token may still be accepted. */
const REMEMBERED_SECONDS = 1.5
/** Videos watched concurrently on one instance. */
const REMEMBERED_MAX = 10_000

type Glance = Pick<VideoState, 'contentProtection'> | 'none'

/** Undefined if there is no such video. */
type Look = (video: Video) => Promise<Exclude<Glance, 'none'> | undefined>
type Video = Pick<Viewer, 'organizationId' | 'assetId'>

export class EdgeAccess {
  readonly #look: Look
  readonly #seen = new LRUCache<string, Glance>({
    max: REMEMBERED_MAX,
    ttl: REMEMBERED_SECONDS * 1000,
  })
  readonly #underWay = new Map<string, Promise<Glance>>()

  constructor(look: Look) {
    this.#look = look
  }

  static over(database: Database): EdgeAccess {
    return new EdgeAccess(({ organizationId, assetId }) =>
      findVideoState(database.forOrganization(organizationId), assetId),
    )
  }

  async assertMayHave(viewer: Viewer): Promise<void> {
    const seen = await this.#glanceAt(viewer)
    if (seen === 'none') throw nothingToPlay()
    assertOpens(viewer, seen.contentProtection)
  }

  /** Concurrent callers share one query. */
  async #glanceAt(video: Video): Promise<Glance> {
    const name = `${video.organizationId}/${video.assetId}`
    const seen = this.#seen.get(name) ?? this.#underWay.get(name)
    if (seen) return seen
    const looking = this.#lookAt(name, video).finally(() => this.#underWay.delete(name))
    this.#underWay.set(name, looking)
    return looking
  }

  async #lookAt(name: string, video: Video): Promise<Glance> {
    const found = (await this.#look(video)) ?? 'none'
    this.#seen.set(name, found)
    return found
  }
}
