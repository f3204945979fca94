/** Repeatable random choices: the same seed makes the same choices in the same order. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns a random number from 0 to 1, without 1. The algorithm is Mulberry32. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns a random integer from `least` to `most`, inclusive. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  oneOf<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.integer(0, choices.length - 1)] as Choice
  }

  isTrue(likelihood: number): boolean {
    return this.fraction() < likelihood
  }
}
