/** Runs the CLI as a process with its own home folder, against the real service. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ApiProcess,
  Caller,
  commandEnvironment,
  newOrganization,
  openOwner,
  programOf,
  type StackEnv,
} from '@reelkeep/testkit'

/** The bundled CLI, because loading its sources takes longer than most commands. */
export const entry = programOf('cli/src/main.ts')

export type Ended = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type Start = {
  readonly input?: string
  readonly env?: Record<string, string>
}

/** A running command. */
export class Running {
  readonly child: ChildProcess
  #stdout = ''
  #stderr = ''
  readonly #closed: Promise<unknown[]>

  constructor(child: ChildProcess) {
    this.child = child
    this.#closed = once(child, 'close')
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
  }

  readonly stdout = () => this.#stdout
  readonly stderr = () => this.#stderr

  async ended(): Promise<Ended> {
    await this.#closed
    return { code: this.child.exitCode, stdout: this.#stdout, stderr: this.#stderr }
  }

  /** Like Ctrl-C. */
  async interrupted(): Promise<Ended> {
    this.child.kill('SIGINT')
    return this.ended()
  }
}

export class CliFixture implements AsyncDisposable {
  readonly home: string
  readonly api: ApiProcess
  readonly caller: Caller
  readonly #login: Record<string, string>

  private constructor(api: ApiProcess, caller: Caller) {
    this.home = mkdtempSync(join(tmpdir(), 'reelkeep-home-'))
    this.api = api
    this.caller = caller
    this.#login = {
      REELKEEP_URL: api.baseUrl,
      REELKEEP_ORGANIZATION: caller.organizationId,
      REELKEEP_TOKEN: caller.token,
    }
  }

  static async open(settings: Record<string, string> = {}, env?: StackEnv): Promise<CliFixture> {
    const api = await ApiProcess.start(settings, env)
    await using owner = openOwner(env)
    const { organizationId, token } = await newOrganization(owner)
    return new CliFixture(api, new Caller(api.send, organizationId, token))
  }

  /** Environment of a command: without a saved login and without a terminal. */
  readonly environment = (more: Record<string, string> = {}) => ({
    ...commandEnvironment,
    // biome-ignore lint/style/noProcessEnv: the shell finds programs by this variable.
    PATH: process.env['PATH'] ?? '',
    HOME: this.home,
    XDG_CONFIG_HOME: join(this.home, '.config'),
    TZ: 'UTC',
    ...more,
  })

  /** Starts a command that is logged in by environment variables. */
  readonly start = (args: readonly string[], { input, env = this.#login }: Start = {}): Running => {
    const child = spawn(process.execPath, [entry, ...args], {
      cwd: this.home,
      env: this.environment(env),
      stdio: 'pipe',
    })
    child.stdin.end(input ?? '')
    return new Running(child)
  }

  readonly run = (args: readonly string[], how?: Start): Promise<Ended> => this.start(args, how).ended()

  /** Returns the output of a command with `--json`; throws if the command fails. */
  readonly json = async <Value>(args: readonly string[], how?: Start): Promise<Value> => {
    const { code, stdout, stderr } = await this.run([...args, '--json'], how)
    if (code !== 0) throw new Error(`reelkeep ${args.join(' ')} ended with ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }

  /** Starts a command in a terminal and presses the given keys. stdout and stderr are one stream. */
  readonly atTerminal = (args: readonly string[], keys: string, env = this.#login): Running => {
    const command = [process.execPath, entry, ...args].map((word) => `'${word}'`).join(' ')
    const child = spawn('script', ['-qec', `stty cols 100 rows 30; ${command}`, '/dev/null'], {
      cwd: this.home,
      env: this.environment({ TERM: 'xterm', ...env }),
      stdio: 'pipe',
    })
    const running = new Running(child)
    if (keys !== '') child.stdin.write(keys)
    return running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api[Symbol.asyncDispose]()
    rmSync(this.home, { recursive: true, force: true })
  }
}
