/** Takes the servers beneath the service down and brings them back, one after the other. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { root } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import type { Outage } from '../pipeline/recovery.ts'

const run = promisify(execFile)
const fault = (word: string) => run(join(root, 'stack/fault'), [word], { env: stackEnvironment })

const words = {
  postgres: ['postgres-kill', 'postgres-restart'],
  radosgw: ['rgw-kill', 'rgw-start'],
} as const

export class Servers {
  readonly outages: Outage[] = []
  #last: Promise<void> = Promise.resolve()

  /** Resolves when the server is back. */
  takeAway(server: keyof typeof words, forMilliseconds: number): Promise<void> {
    this.#last = this.#last.then(() => this.#takeAway(server, forMilliseconds))
    return this.#last
  }

  async #takeAway(server: keyof typeof words, forMilliseconds: number): Promise<void> {
    const [kill, start] = words[server]
    const from = Date.now()
    await fault(kill)
    await sleep(forMilliseconds)
    await fault(start)
    this.outages.push({ from, to: Date.now() })
  }
}
