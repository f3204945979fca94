/** Kills and restarts the servers that the service depends on, one after the other. */
import { setTimeout as sleep } from 'node:timers/promises'
import { runStack } from '@reelkeep/testkit'

/** Arguments of `stack/fault` that kill and restart a server. */
const commands = {
  postgres: [['postgres-kill'], ['postgres-restart']],
  radosgw: [['rgw-kill'], ['rgw-start']],
  osd: [
    ['osd-kill', '1'],
    ['osd-start', '1'],
  ],
} as const

export class Servers {
  readonly outages: { readonly from: number; readonly to: number }[] = []
  #last: Promise<void> = Promise.resolve()

  /** Kills the server and restarts it after this time. Resolves when it is back. */
  takeDown(server: keyof typeof commands, forMilliseconds: number): Promise<void> {
    this.#last = this.#last.then(() => this.#takeDown(server, forMilliseconds))
    return this.#last
  }

  async #takeDown(server: keyof typeof commands, forMilliseconds: number): Promise<void> {
    const [kill, start] = commands[server]
    const from = Date.now()
    await runStack('fault', kill)
    await sleep(forMilliseconds)
    await runStack('fault', start)
    this.outages.push({ from, to: Date.now() })
  }
}
