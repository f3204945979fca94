import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Send } from './caller.ts'
import { root, stackEnvironment } from './settings.ts'
import { type StackEnv, stackEnv } from './stack.ts'

/** How long the service may take to answer for the first time. */
const START_SECONDS_MAX = 20

/** The service as an operator runs it: a process of its own, reached over the wire. */
export class ApiProcess implements AsyncDisposable {
  readonly baseUrl: string
  readonly operationsUrl: string
  readonly child: ChildProcess
  readonly #logFile: string

  private constructor(child: ChildProcess, logFile: string, port: number, operationsPort: number) {
    this.child = child
    this.#logFile = logFile
    this.baseUrl = `http://127.0.0.1:${port}`
    this.operationsUrl = `http://127.0.0.1:${operationsPort}`
  }

  /** Everything it has written to standard output and error. */
  get log(): string {
    return readFileSync(this.#logFile, 'utf8')
  }

  static async start(
    settings: Record<string, string> = {},
    env: StackEnv = stackEnv(),
  ): Promise<ApiProcess> {
    const [port, operationsPort] = [await freePort(), await freePort()]
    const logFile = join(mkdtempSync(join(tmpdir(), 'reelkeep-api-')), 'log')
    const log = openSync(logFile, 'a')
    const child = spawn(process.execPath, [join(root, 'server/src/main/api.ts')], {
      env: {
        ...stackEnvironment,
        ...env,
        PORT: String(port),
        OPERATIONS_PORT: String(operationsPort),
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        RATE_LIMIT_PER_MINUTE: '100000000',
        DRAIN_SECONDS: '0',
        ...settings,
      },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    const api = new ApiProcess(child, logFile, port, operationsPort)
    await api.#ready()
    return api
  }

  readonly send: Send = async ({ method, path, headers, body }) => {
    const answer = await fetch(this.baseUrl + path, { method, headers, body: body ?? null })
    const text = await answer.text()
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text }
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
    rmSync(dirname(this.#logFile), { recursive: true, force: true })
  }

  async #ready(): Promise<void> {
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

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No port to be had')
  return address.port
}
