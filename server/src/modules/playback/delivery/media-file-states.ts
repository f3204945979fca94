/**
 * States of media files. While the database is unavailable, every file of a video that was watched recently counts as
 * published, unless this instance found before that it is not: a file that was never published has a name with random
 * digits that cannot be guessed.
 */
import { LRUCache } from 'lru-cache'
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { LastKnown } from '../../../platform/db/last-known/last-known.ts'
import { checkSoon } from '../../published-files/published-files.ts'
import { findMediaFileState, type MediaFileState, type OfMediaFile } from '../playback.store.ts'

/** Maximum number of files that are known to be damaged or not published. */
const REFUSED_MAX = 10_000

export class MediaFileStates {
  readonly #database: Database
  readonly #lastKnown: LastKnown
  readonly #refused = new LRUCache<string, Pick<MediaFileState, 'isPublished' | 'isDamaged'>>({ max: REFUSED_MAX })

  constructor(database: Database, lastKnown: LastKnown) {
    this.#database = database
    this.#lastKnown = lastKnown
  }

  /**
   * Returns undefined if the asset does not exist. `isStale`: the database is unavailable, and what is known about the
   * file may be outdated.
   */
  async find(
    organizationId: OrganizationId,
    file: OfMediaFile,
  ): Promise<(MediaFileState & { readonly isStale: boolean }) | undefined> {
    const { assetId, mediaId, key } = file
    const { value: state, isStale } = await this.#lastKnown.read(organizationId, `files/${assetId}/${mediaId}`, () =>
      findMediaFileState(this.#database.forRequest(organizationId), file),
    )
    if (isStale) return state && { ...this.#withoutDatabase(key, state), isStale }
    if (state?.isPublished && !state.isDamaged) this.#refused.delete(key)
    else if (state) this.#refused.set(key, state)
    return state && { ...state, isStale }
  }

  /** The next scrub checks the file: storage has returned something else than what was stored. */
  async suspect(organizationId: OrganizationId, file: OfMediaFile): Promise<void> {
    await checkSoon(this.#database.forRequest(organizationId), file)
  }

  /** `state` is that of another file of the video. */
  #withoutDatabase(key: string, { contentProtection, hasKeys }: MediaFileState): MediaFileState {
    const { isPublished, isDamaged } = this.#refused.get(key) ?? { isPublished: true, isDamaged: false }
    return { contentProtection, hasKeys, isPublished, isDamaged, seconds: null, stored: null, movedTo: null }
  }
}
