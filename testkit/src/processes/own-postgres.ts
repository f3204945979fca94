import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../settings.ts'
import { Superuser } from '../superuser.ts'
import { migrate, runStack, type Stack, type StackEnv, stackBeside, stackEnv, withStandby } from './stack.ts'

/** Each stack uses forty ports; the next forty are free for a test's own servers. */
const PORTS_PER_STACK = 40

/** Each purpose has its own port, because tests for different purposes may run at the same time. */
const purposes = ['failover', 'outage', 'jobs', 'cells', 'disk', 'clock', 'playback'] as const

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
    await runStack('up', ['postgres'], purpose === 'clock' ? { ...stack, clock: 'settable' } : stack)
    const env = stackEnv(stack.name)
    await migrate(env)
    return new OwnPostgres(env, stack)
  }

  /** Kills Postgres without warning, like a crash. */
  kill(): Promise<void> {
    return runStack('fault', ['postgres-kill'], this.#stack)
  }

  /** Stops Postgres, with a checkpoint. */
  stop(): Promise<void> {
    return runStack('down', ['postgres'], this.#stack)
  }

  /** Sets the clock of Postgres, which must be for the purpose `clock`, to the real time plus this many seconds. */
  setClock(seconds: number): Promise<void> {
    return runStack('fault', ['clock', String(seconds)], this.#stack)
  }

  /** The directory of the server's data. */
  get dataDirectory(): string {
    return join(realpathSync(join(root, '.stack', this.#stack.name, 'postgres')), 'data')
  }

  /** Resolves when Postgres accepts connections again. */
  restart(): Promise<void> {
    return runStack('up', ['postgres'], this.#stack)
  }

  /** Starts a streaming standby and returns the settings with both servers in the URLs. */
  async startStandby(mode: 'async' | 'sync'): Promise<StackEnv> {
    await runStack('fault', ['standby', ...(mode === 'sync' ? ['sync'] : [])], this.#stack)
    return withStandby(this.env, this.#stack.port + PORTS_PER_STACK - 1)
  }

  /** A connection to the standby, which stays open when it is promoted. */
  openStandby(): Promise<Superuser> {
    const url = new URL(this.env.DATABASE_SUPERUSER_URL)
    url.port = String(this.#stack.port + PORTS_PER_STACK - 1)
    return Superuser.open({ ...this.env, DATABASE_SUPERUSER_URL: url.href })
  }

  /** The standby gets no further changes. */
  detachStandby(): Promise<void> {
    return runStack('fault', ['standby-detach'], this.#stack)
  }

  /** Kills the primary. Resolves when the standby accepts writes. */
  promote(): Promise<void> {
    return runStack('fault', ['promote'], this.#stack)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return runStack('wipe', [], this.#stack)
  }
}
