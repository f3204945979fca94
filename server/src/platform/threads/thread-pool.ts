/**
 * Parses large texts in worker threads, so that they do not block the event loop. Threads start with the first large
 * text and end when they are idle.
 */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { OrganizationId } from '../../kernel/ids.ts'
import { overloaded } from '../db/errors/overload.ts'
import { FairQueue } from './fair-queue.ts'

/** Longer texts are parsed in a thread. Shorter ones take a few milliseconds, and a thread costs more. */
const TEXT_LENGTH_MAX = 64 * 1024

/** One core stays free for the event loop. */
const THREADS_MAX = Math.max(1, Math.min(4, availableParallelism() - 1))
const THREAD_MEGABYTES_MAX = 256
const IDLE_SECONDS_MAX = 30

/** A text takes up to half a second. The points of a request limit the size of the texts that an organization sends. */
const LIMITS = { runningMax: THREADS_MAX, runningPerKeyMax: 2, tasksPerKeyMax: 32 }

/** A pure function that `file` exports under its own name. Its input and output are plain data. */
export type Parser<Input extends ParserInput, Output> = {
  readonly file: URL
  readonly parse: (input: Input) => Output
}

type ParserInput = { readonly text: string }

export class ThreadPool implements AsyncDisposable {
  #pool: Piscina | undefined
  readonly #queue = new FairQueue(LIMITS)

  /** Throws `unavailable` if the organization has too many large texts waiting. */
  async parse<Input extends ParserInput, Output>(
    organizationId: OrganizationId,
    { file, parse }: Parser<Input, Output>,
    input: Input,
  ): Promise<Output> {
    if (input.text.length <= TEXT_LENGTH_MAX) return parse(input)
    const run = () => this.#opened().run(input, { filename: fileURLToPath(file), name: parse.name })
    const parsed = this.#queue.run<Output>(organizationId, run)
    if (!parsed) throw overloaded()
    return parsed
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
}
