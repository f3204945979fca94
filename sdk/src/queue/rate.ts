/** Weight of the newest measurement. With four a second, the average covers about five seconds. */
const NEWEST_WEIGHT = 0.08

/** Average upload rate, from the number of bytes sent so far. */
export class Rate {
  #last: { readonly bytes: number; readonly atMs: number } | undefined
  #average: number | undefined

  /** Returns bytes per second; undefined after the first call. */
  measure(bytes: number, atMs: number): number | undefined {
    const last = this.#last
    this.#last = { bytes, atMs }
    if (!last || atMs <= last.atMs) return this.#average
    const newest = (1000 * Math.max(0, bytes - last.bytes)) / (atMs - last.atMs)
    this.#average = this.#average === undefined ? newest : this.#average + NEWEST_WEIGHT * (newest - this.#average)
    return this.#average
  }
}
