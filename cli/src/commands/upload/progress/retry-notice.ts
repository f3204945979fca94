import type { UploadPause } from 'reelkeep'
import { printable } from '../../../terminal/width.ts'

/**
 * Reports once why an upload waits, and again only after progress. Otherwise every retry of every parallel part would
 * be reported.
 */
export class RetryNotice {
  readonly #onNote: (text: string) => void
  #isReported = false
  #sentBytes = 0

  constructor(onNote: (text: string) => void) {
    this.#onNote = onNote
  }

  readonly paused = ({ reason }: UploadPause): void => {
    if (!this.#isReported) this.#onNote(`waiting to retry: ${printable(reason.message)}`)
    this.#isReported = true
  }

  sent(sentBytes: number): void {
    if (sentBytes > this.#sentBytes) this.#isReported = false
    this.#sentBytes = Math.max(this.#sentBytes, sentBytes)
  }
}
