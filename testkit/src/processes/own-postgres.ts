import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root, stackEnvironment } from '../settings.ts'
import { migrate, type StackEnv, stackEnv } from './stack.ts'

const run = promisify(execFile)

/** Each stack uses forty ports; the next forty are free for a test's own servers. */
const PORTS_PER_STACK = 40

/** Each purpose has its own port, because they may run at the same time. */
const purposes = ['outage', 'jobs', 'cells'] as const

/** A separate Postgres for tests that break it, so parallel tests are not disturbed. */
export class OwnPostgres implements AsyncDisposable {
  readonly env: StackEnv
  readonly #stack: NodeJS.ProcessEnv

  private constructor(env: StackEnv, stack: NodeJS.ProcessEnv) {
    this.env = env
    this.#stack = stack
  }

  static async start(purpose: (typeof purposes)[number]): Promise<OwnPostgres> {
    const stack = {
      ...stackEnvironment,
      STACK_NAME: `${stackEnvironment.STACK_NAME}-${purpose}`,
      STACK_PORT: String(
        Number(stackEnvironment.STACK_PORT) + PORTS_PER_STACK + purposes.indexOf(purpose),
      ),
    }
    await run(join(root, 'stack/wipe'), { env: stack })
    await run(join(root, 'stack/up'), ['postgres'], { env: stack })
    const env = stackEnv(stack.STACK_NAME)
    await migrate(env)
    return new OwnPostgres(env, stack)
  }

  /** Kills it without warning, like a crash. */
  async kill(): Promise<void> {
    await run(join(root, 'stack/fault'), ['postgres-kill'], { env: this.#stack })
  }

  /** Resolves when it answers again. */
  async restart(): Promise<void> {
    await run(join(root, 'stack/up'), ['postgres'], { env: this.#stack })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run(join(root, 'stack/wipe'), { env: this.#stack })
  }
}
