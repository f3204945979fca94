import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundledFile } from '@reelkeep/server/bundle/bundled-file.ts'
import { compiledProcesses, root, stackEnvironment } from '../settings.ts'
import { stopChild } from './stop-child.ts'

/** How long a process may take to become ready. */
const START_SECONDS_MAX = 110

/** A process of the service as an operator runs it, with health checks and metrics on a separate port. */
export class ServiceProcess implements AsyncDisposable {
  readonly operationsUrl: string
  readonly child: ChildProcess
  #log: number | undefined

  /** `entry` is a path relative to the root of the repository. */
  constructor(entry: string, operationsPort: number, settings: Record<string, string>) {
    this.#log = openNamelessFile()
    // The kernel kills the process when this process ends, so a killed test run leaves nothing behind.
    const bound = ['--pdeathsig', 'KILL', process.execPath, programOf(entry)]
    this.child = spawn('setpriv', bound, {
      env: { ...stackEnvironment, ...settings },
      stdio: ['ignore', this.#log, this.#log],
    })
    this.operationsUrl = `http://127.0.0.1:${operationsPort}`
  }

  /** Everything written to standard output and error. */
  get log(): string {
    return readFileSync(`/proc/self/fd/${this.#log}`, 'utf8')
  }

  /** Resolves with the exit code. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    return stopChild(this.child, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    if (this.#log !== undefined) closeSync(this.#log)
    this.#log = undefined
  }

  /** Resolves when the process reports ready. */
  async ready(): Promise<void> {
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

/** Opens a file and deletes it. The data disappears when the last process closes the file. */
function openNamelessFile(): number {
  const directory = mkdtempSync(join(tmpdir(), 'reelkeep-process-'))
  const file = openSync(join(directory, 'log'), 'a')
  rmSync(directory, { recursive: true })
  return file
}

/** The bundle of the program, if there is one. */
export function programOf(entry: string): string {
  const compiled = compiledProcesses && join(compiledProcesses, bundledFile(entry))
  return compiled && existsSync(compiled) ? compiled : join(root, entry)
}
