import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { compiledProcesses, root, stackEnvironment } from './settings.ts'

/** How long a process may take to say for the first time that it is ready. */
const START_SECONDS_MAX = 110

/** A part of the service as an operator runs it: a process of its own, with health and metrics on a port. */
export class ServiceProcess implements AsyncDisposable {
  readonly operationsUrl: string
  readonly child: ChildProcess
  #log: number | undefined

  /** `entry` is a path from the root of the repository. */
  constructor(entry: string, operationsPort: number, settings: Record<string, string>) {
    this.#log = openNamelessFile()
    // Ended by the kernel with whoever started it: a run of tests that is killed leaves nothing behind.
    const bound = ['--pdeathsig', 'KILL', process.execPath, programOf(entry)]
    this.child = spawn('setpriv', bound, {
      env: { ...stackEnvironment, ...settings },
      stdio: ['ignore', this.#log, this.#log],
    })
    this.operationsUrl = `http://127.0.0.1:${operationsPort}`
  }

  /** Everything it has written to standard output and error. */
  get log(): string {
    return readFileSync(`/proc/self/fd/${this.#log}`, 'utf8')
  }

  /** Resolves with the exit code. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode
    const exited = once(this.child, 'exit')
    this.child.kill(signal)
    const [code] = await exited
    return code as number | null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    if (this.#log !== undefined) closeSync(this.#log)
    this.#log = undefined
  }

  protected async ready(): Promise<void> {
    const deadline = performance.now() + START_SECONDS_MAX * 1000
    while (performance.now() < deadline && this.child.exitCode === null) {
      const answer = await fetch(`${this.operationsUrl}/readyz`).catch(() => undefined)
      if (answer?.ok) return
      await sleep(50)
    }
    await this.stop('SIGKILL')
    throw new Error(`The service did not become ready:\n${this.log}`)
  }
}

/** Gone with the last process that has it open, however that ends. */
function openNamelessFile(): number {
  const directory = mkdtempSync(join(tmpdir(), 'reelkeep-process-'))
  const file = openSync(join(directory, 'log'), 'a')
  rmSync(directory, { recursive: true })
  return file
}

/** What was put together from it, or else itself. */
function programOf(entry: string): string {
  const compiled = compiledProcesses && join(compiledProcesses, `${entry}.js`)
  return compiled && existsSync(compiled) ? compiled : join(root, entry)
}
