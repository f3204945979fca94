/**
 * Parses large texts in worker threads, so that they do not block the event loop. Threads start with the first large
 * text and end when they are idle.
 */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { OrganizationId } from '../../kernel/ids.ts'
import { overloaded } from '../db/overload.ts'

/** Longer texts are parsed in a thread. Shorter ones take a few milliseconds, and a thread costs more. */
const TEXT_LENGTH_MAX = 64 * 1024

/** One core stays free for the event loop. */
const THREADS_MAX = Math.max(1, Math.min(4, availableParallelism() - 1))
const THREAD_MEGABYTES_MAX = 256
const IDLE_SECONDS_MAX = 30

/** Maximum number of texts that are being parsed or wait for it. A text takes up to half a second. */
const TEXTS_MAX = 64
const TEXTS_PER_ORGANIZATION_MAX = 4

/** A pure function that `file` exports under its own name. Its input and output are plain data. */
export type Parser<Input extends ParserInput, Output> = {
  readonly file: URL
  readonly parse: (input: Input) => Output
}

type ParserInput = { readonly text: string }

export class ThreadPool implements AsyncDisposable {
  #pool: Piscina | undefined
  readonly #pending = new Map<OrganizationId, number>()
  #pendingCount = 0

  /** Throws `unavailable` if too many large texts are waiting. */
  async parse<Input extends ParserInput, Output>(
    organizationId: OrganizationId,
    { file, parse }: Parser<Input, Output>,
    input: Input,
  ): Promise<Output> {
    if (input.text.length <= TEXT_LENGTH_MAX) return parse(input)
    const pending = this.#pending.get(organizationId) ?? 0
    if (pending >= TEXTS_PER_ORGANIZATION_MAX || this.#pendingCount >= TEXTS_MAX) throw overloaded()
    this.#count(organizationId, 1)
    try {
      return await this.#opened().run(input, { filename: fileURLToPath(file), name: parse.name })
    } finally {
      this.#count(organizationId, -1)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool?.destroy()
  }

  #opened(): Piscina {
    this.#pool ??= new Piscina({
      minThreads: 0,
      maxThreads: THREADS_MAX,
      idleTimeout: IDLE_SECONDS_MAX * 1000,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES_MAX },
    })
    return this.#pool
  }

  #count(organizationId: OrganizationId, change: 1 | -1): void {
    this.#pendingCount += change
    const pending = (this.#pending.get(organizationId) ?? 0) + change
    if (pending > 0) this.#pending.set(organizationId, pending)
    else this.#pending.delete(organizationId)
  }
}
