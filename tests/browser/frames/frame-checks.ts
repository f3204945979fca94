/** Counts how often a page showed exactly the frame that was expected. */
import type { ShownFrame } from './shown-frame.ts'

export type ExpectedFrame = {
  /** The number in the pixels. */
  readonly number: number
  /** The number of the frame in the rendition, which differs for files with a variable rate. */
  readonly frame: number
}

export class FrameChecks {
  readonly #counts = new Map<string, number>()
  readonly wrong: string[] = []

  /** `rate` is the frame rate of the rendition. */
  check(what: string, shown: ShownFrame, expected: ExpectedFrame & { readonly rate: number }): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
    const frame = Math.round(shown.mediaTime * expected.rate)
    if (shown.number === expected.number && frame === expected.frame) return
    const { number } = expected
    this.wrong.push(`${what}: frame ${expected.frame} (${number}) expected, frame ${frame} (${shown.number}) shown`)
  }

  get count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
  }

  get report(): string {
    const lines = [...this.#counts].map(([what, count]) => `${what}: ${count}`)
    return [...lines, ...this.wrong, `${this.count} checks, ${this.wrong.length} off by one`].join('\n')
  }
}
