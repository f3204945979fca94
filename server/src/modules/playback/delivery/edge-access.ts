/**
 * Access checks for edges. An edge caches media files for a long time and checks nearly every request here, because
 * the token may have been revoked or the video deleted since. The state of a video is therefore cached briefly.
 */
import { LRUCache } from 'lru-cache'
import type { LastKnown } from '../../../platform/db/last-known/last-known.ts'
import { assertOpens, type Viewer } from '../../playback-tokens/playback-tokens.ts'
import { nothingToPlay } from '../playback.rules.ts'
import { findVideoState, type VideoState } from '../playback.store.ts'

/** How long a revoked token may still be accepted. */
const CACHE_SECONDS = 1.5
/** Maximum number of cached videos: those watched concurrently on one instance. */
const CACHED_MAX = 10_000

type CachedState = Pick<VideoState, 'contentProtection'> | 'none'

/** Reads the state of a video; undefined if it does not exist. */
type FindState = (video: Video) => Promise<Exclude<CachedState, 'none'> | undefined>
type Video = Pick<Viewer, 'organizationId' | 'assetId'>

export class EdgeAccess {
  readonly #find: FindState
  readonly #cached = new LRUCache<string, CachedState>({
    max: CACHED_MAX,
    ttl: CACHE_SECONDS * 1000,
  })
  readonly #pending = new Map<string, Promise<CachedState>>()

  constructor(find: FindState) {
    this.#find = find
  }

  static over(lastKnown: LastKnown): EdgeAccess {
    return new EdgeAccess(({ organizationId, assetId }) =>
      findVideoState(lastKnown.forRequest(organizationId), assetId),
    )
  }

  async assertMayFetch(viewer: Viewer): Promise<void> {
    const state = await this.#stateOf(viewer)
    if (state === 'none') throw nothingToPlay()
    assertOpens(viewer, state.contentProtection)
  }

  /** Concurrent callers share one query. */
  async #stateOf(video: Video): Promise<CachedState> {
    const name = `${video.organizationId}/${video.assetId}`
    const cached = this.#cached.get(name) ?? this.#pending.get(name)
    if (cached) return cached
    const loading = this.#load(name, video).finally(() => this.#pending.delete(name))
    this.#pending.set(name, loading)
    return loading
  }

  async #load(name: string, video: Video): Promise<CachedState> {
    const found = (await this.#find(video)) ?? 'none'
    this.#cached.set(name, found)
    return found
  }
}
