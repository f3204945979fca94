import { setTimeout as sleep } from 'node:timers/promises'
import type { AssetId } from '../../../kernel/ids.ts'

/** An asset's progress is looked up and told at most this often, however many workers speak of it. */
const PAUSE_SECONDS = 1

/** Of one organization, at the same time; what is said of more is passed over until there is room. */
const ASSETS_MAX = 200

/** Says when to tell of an asset's progress, given when somebody made some. */
export class ProgressDesk {
  readonly #tell: (assetId: AssetId) => Promise<void>
  readonly #onFailure: (error: unknown) => void
  /** Those that were told of a moment ago, and whether there has been more since. */
  readonly #resting = new Map<AssetId, boolean>()

  constructor(tell: (assetId: AssetId) => Promise<void>, onFailure: (error: unknown) => void) {
    this.#tell = tell
    this.#onFailure = onFailure
  }

  note(assetId: AssetId): void {
    if (this.#resting.has(assetId)) this.#resting.set(assetId, true)
    else if (this.#resting.size < ASSETS_MAX) void this.#serve(assetId)
  }

  async #serve(assetId: AssetId): Promise<void> {
    do {
      this.#resting.set(assetId, false)
      await this.#tell(assetId).catch(this.#onFailure)
      await sleep(PAUSE_SECONDS * 1000)
    } while (this.#resting.get(assetId))
    this.#resting.delete(assetId)
  }
}
