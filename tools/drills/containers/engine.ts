import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { poll, root, stopChild } from '@reelkeep/testkit'

const execute = promisify(execFile)
const OUTPUT_BYTES_MAX = 64 * 1024 ** 2
const HEALTH_INTERVAL_MS = 1000
const SOCKET_SECONDS_MAX = 60

/** `memory` has a unit, such as 36.5MB. */
export type ContainerCost = { readonly name: string; readonly memory: string; readonly cpuSeconds: number }

/**
 * podman with its Docker API, used by Debian's docker-compose. podman lets systemd run the health checks; this class
 * runs them instead, because CI has no systemd.
 */
export class Engine implements AsyncDisposable {
  readonly #folder: string
  readonly #env: NodeJS.ProcessEnv
  readonly #service: ChildProcess
  readonly #stopped = new AbortController()
  readonly #healthChecks: Promise<void>

  private constructor(folder: string) {
    this.#folder = folder
    const socket = `unix://${join(folder, 'podman.sock')}`
    this.#env = { ...process.env, CONTAINERS_CONF: writeSettings(folder), DOCKER_HOST: socket }
    this.#service = spawn('podman', ['system', 'service', '--time=0', socket], { env: this.#env, stdio: 'ignore' })
    this.#healthChecks = this.#runHealthChecks()
  }

  static async open(): Promise<Engine> {
    await using opening = new AsyncDisposableStack()
    const engine = opening.use(new Engine(mkdtempSync(join(tmpdir(), 'reelkeep-engine-'))))
    const socket = join(engine.#folder, 'podman.sock')
    await poll('the socket of podman', SOCKET_SECONDS_MAX, () => existsSync(socket))
    opening.move()
    return engine
  }

  podman(...args: readonly string[]): Promise<string> {
    return this.run('podman', args)
  }

  /** Runs a program in the root of the repository, and returns its output. */
  async run(file: string, args: readonly string[], settings: Record<string, string> = {}): Promise<string> {
    const env = { ...this.#env, ...settings }
    const { stdout } = await execute(file, [...args], { cwd: root, env, maxBuffer: OUTPUT_BYTES_MAX })
    return stdout
  }

  async imageBytes(image: string): Promise<number> {
    return Number(await this.podman('image', 'inspect', image, '--format', '{{.Size}}'))
  }

  /** Memory and CPU time of the running containers whose names start with the prefix. */
  async costs(prefix: string): Promise<ContainerCost[]> {
    const running = await this.podman('ps', '--filter', `name=^${prefix}`, '--format', '{{.Names}}')
    const names = running.split('\n').filter(Boolean)
    const format = '{{.Name}} {{.CPUNano}} {{.MemUsage}}'
    const lines = (await this.podman('stats', '--no-stream', '--format', format, ...names)).trim().split('\n')
    return lines
      .map((line) => line.split(' '))
      .map(([name = '', nanoseconds, memory = '']) => ({ name, memory, cpuSeconds: Number(nanoseconds) / 1e9 }))
  }

  async #runHealthChecks(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      const names = await this.podman(
        'ps',
        '--filter',
        'health=starting',
        '--filter',
        'health=healthy',
        '--filter',
        'health=unhealthy',
        '--format',
        '{{.Names}}',
      ).catch(() => '')
      for (const name of names.split('\n').filter(Boolean)) {
        // An unhealthy container is an error for podman; its status is what counts.
        await this.podman('healthcheck', 'run', name).catch(() => {})
      }
      await sleep(HEALTH_INTERVAL_MS, undefined, { signal }).catch(() => {})
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort()
    await this.#healthChecks
    await stopChild(this.#service)
    rmSync(this.#folder, { recursive: true })
  }
}

/**
 * The Docker API of podman cannot receive a seccomp profile (podman issue 27710), so the profile of the worker is the
 * default of all containers.
 */
function writeSettings(folder: string): string {
  const settings = execFileSync(join(root, 'stack/container-tools'), { encoding: 'utf8' }).trim()
  const profile = `seccomp_profile = "${join(root, 'deploy/docker/worker-seccomp.json')}"`
  const file = join(folder, 'containers.conf')
  writeFileSync(file, readFileSync(settings, 'utf8').replace('[containers]', `[containers]\n${profile}`))
  return file
}
