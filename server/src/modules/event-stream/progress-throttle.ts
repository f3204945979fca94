import { setTimeout as sleep } from 'node:timers/promises'
import type { AssetId } from '../../kernel/ids.ts'

/** Minimum interval between two progress messages of an asset. */
const PAUSE_SECONDS = 1

/** Maximum number of throttled assets per organization; notifications of other assets are dropped. */
const ASSETS_MAX = 200

/** Throttles progress messages per asset. */
export class ProgressThrottle {
  readonly #send: (assetId: AssetId) => Promise<void>
  readonly #onFailure: (error: unknown) => void
  /** Assets whose progress was just sent, and whether there is newer progress. */
  readonly #throttled = new Map<AssetId, boolean>()

  constructor(send: (assetId: AssetId) => Promise<void>, onFailure: (error: unknown) => void) {
    this.#send = send
    this.#onFailure = onFailure
  }

  notify(assetId: AssetId): void {
    if (this.#throttled.has(assetId)) this.#throttled.set(assetId, true)
    else if (this.#throttled.size < ASSETS_MAX) void this.#run(assetId)
  }

  async #run(assetId: AssetId): Promise<void> {
    do {
      this.#throttled.set(assetId, false)
      await this.#send(assetId).catch(this.#onFailure)
      await sleep(PAUSE_SECONDS * 1000)
    } while (this.#throttled.get(assetId))
    this.#throttled.delete(assetId)
  }
}
