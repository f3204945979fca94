import type { UploadPause } from 'reelkeep'
import { printable } from '../../terminal/width.ts'

/**
 * Says why one upload waits, once until something gets through again: it is tried again every few
 * seconds, by several parts at a time.
 */
export class Outage {
  readonly #onNote: (text: string) => void
  #isTold = false
  #sentBytes = 0

  constructor(onNote: (text: string) => void) {
    this.#onNote = onNote
  }

  readonly paused = ({ reason }: UploadPause): void => {
    if (!this.#isTold)
      this.#onNote(`waits, and is tried again by itself: ${printable(reason.message)}`)
    this.#isTold = true
  }

  sent(sentBytes: number): void {
    if (sentBytes > this.#sentBytes) this.#isTold = false
    this.#sentBytes = Math.max(this.#sentBytes, sentBytes)
  }
}
