import { migrate, runStack, type Stack, type StackEnv, stackBeside, stackEnv } from './stack.ts'

/** Each stack uses forty ports; the next forty are free for a test's own servers. */
const PORTS_PER_STACK = 40

/** Each purpose has its own port, because tests for different purposes may run at the same time. */
const purposes = ['outage', 'jobs', 'cells'] as const

/** A separate Postgres for tests that stop or kill it, so that parallel tests are not disturbed. */
export class OwnPostgres implements AsyncDisposable {
  readonly env: StackEnv
  readonly #stack: Stack

  private constructor(env: StackEnv, stack: Stack) {
    this.env = env
    this.#stack = stack
  }

  static async start(purpose: (typeof purposes)[number]): Promise<OwnPostgres> {
    const stack = stackBeside(purpose, PORTS_PER_STACK + purposes.indexOf(purpose))
    await runStack('wipe', [], stack)
    await runStack('up', ['postgres'], stack)
    const env = stackEnv(stack.name)
    await migrate(env)
    return new OwnPostgres(env, stack)
  }

  /** Kills Postgres without warning, like a crash. */
  kill(): Promise<void> {
    return runStack('fault', ['postgres-kill'], this.#stack)
  }

  /** Resolves when Postgres accepts connections again. */
  restart(): Promise<void> {
    return runStack('up', ['postgres'], this.#stack)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return runStack('wipe', [], this.#stack)
  }
}
