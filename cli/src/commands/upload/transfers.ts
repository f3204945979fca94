import { clockSeconds, type Display } from './progress/display.ts'
import { type Transfer, withArrived, withSent } from './transfer.ts'

/** All transfers of one command, and their display. */
export class Transfers {
  readonly #list: Transfer[]
  readonly #display: Display

  constructor(list: readonly Transfer[], display: Display) {
    this.#list = [...list]
    this.#display = display
  }

  arrived(index: number, arrivedBytes: number): void {
    this.#change(index, (transfer) => withArrived(transfer, arrivedBytes))
  }

  sent(index: number, sentBytes: number): void {
    this.#change(index, (transfer) => withSent(transfer, sentBytes, clockSeconds()))
  }

  processed(index: number, percent: number): void {
    this.#change(index, (transfer) => ({
      ...transfer,
      phase: 'processing',
      processedPercent: percent,
    }))
  }

  ended(index: number, phase: 'done' | 'failed'): void {
    this.#change(index, (transfer) => ({
      ...transfer,
      phase,
      // A file that an earlier command has uploaded was not sent now.
      sentBytes: phase === 'done' ? transfer.totalBytes : transfer.sentBytes,
    }))
  }

  #change(index: number, change: (transfer: Transfer) => Transfer): void {
    const transfer = this.#list[index]
    if (!transfer) return
    this.#list[index] = change(transfer)
    this.#display.changed(this.#list, index)
  }
}
