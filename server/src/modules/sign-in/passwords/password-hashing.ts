/**
 * Hashes passwords with argon2id, a few at a time: one hash needs megabytes of memory and tens of milliseconds of CPU
 * time. Networks take turns, so that guesses from one network do not delay the sign-ins from others.
 */
import { randomBytes } from 'node:crypto'
import { type Algorithm, hash, parseOptions, verify } from '@node-rs/argon2'
import { retryLater } from '../../../kernel/errors.ts'
import { FairQueue } from '../../../platform/threads/fair-queue.ts'
import { normalizePassword } from '../sign-in.rules.ts'

export type HashingOptions = {
  readonly memoryKib: number
  readonly passes: number
  /** Maximum number of hashes that are computed at the same time. */
  readonly concurrency: number
}

/** Maximum number of hashes of a network, running and waiting. */
const TASKS_PER_NETWORK_MAX = 20
/** Maximum number of all hashes, running and waiting: a few seconds of work. */
const TASKS_MAX = 500

export class PasswordHasher {
  readonly #options: HashingOptions
  readonly #queue: FairQueue
  /** Hash that is compared if an account does not exist or has no password, so that the response takes as long. */
  readonly #dummy: Promise<string>
  #tasks = 0

  constructor(options: HashingOptions) {
    this.#options = options
    this.#queue = new FairQueue({
      runningMax: options.concurrency,
      runningPerKeyMax: options.concurrency,
      tasksPerKeyMax: TASKS_PER_NETWORK_MAX,
    })
    this.#dummy = this.#hash(randomBytes(16).toString('hex'))
    this.#dummy.catch(() => {})
  }

  hash(password: string, network: string): Promise<string> {
    return this.#queued(network, () => this.#hash(password))
  }

  /** Whether the password belongs to the hash. Takes as long without a hash, and is false then. */
  async isRight(passwordHash: string | undefined, password: string, network: string): Promise<boolean> {
    const compared = passwordHash ?? (await this.#dummy)
    const isEqual = await this.#queued(network, () => verify(compared, normalizePassword(password)))
    return isEqual && passwordHash !== undefined
  }

  /** Whether the hash was made with other parameters than new ones are. */
  isOutdated(passwordHash: string): boolean {
    const { memoryCost, timeCost } = parseOptions(passwordHash)
    return memoryCost !== this.#options.memoryKib || timeCost !== this.#options.passes
  }

  #hash(password: string): Promise<string> {
    const { memoryKib: memoryCost, passes: timeCost } = this.#options
    return hash(normalizePassword(password), { algorithm: ARGON2ID, memoryCost, timeCost, parallelism: 1 })
  }

  async #queued<Result>(network: string, task: () => Promise<Result>): Promise<Result> {
    const queued = this.#tasks < TASKS_MAX ? this.#queue.run(network, task) : undefined
    if (!queued) throw retryLater('rate_limited', 'Too many sign-ins at the moment. Retry in 5 seconds.', 5)
    this.#tasks++
    try {
      return await queued
    } finally {
      this.#tasks--
    }
  }
}

/** A `const enum` of the library, whose members cannot be imported as values. */
const ARGON2ID: Algorithm.Argon2id = 2
