/** The product as Compose starts it, used from outside like by a new user. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { poll } from '@reelkeep/testkit'
import { openChromium } from '../../../tests/browser/chromium.ts'
import { reallyPlays } from '../../../tests/browser/playback/watching.ts'
import type { Engine } from './engine.ts'

const execute = promisify(execFile)
const READY_SECONDS_MAX = 120

type Settings = Record<string, string>

type Options = {
  readonly name: string
  /** The Compose files; a later one replaces entries of an earlier one. */
  readonly files: readonly string[]
  readonly settings: Settings
}

/** The link that the CLI has printed after an upload. */
export function linkIn(output: string): string {
  const link = /https?:\S+\/embed\/\S+/.exec(output)?.[0]
  if (!link) throw new Error(`The CLI printed no link:\n${output}`)
  return link
}

export class ComposeProject implements AsyncDisposable {
  readonly #engine: Engine
  readonly #name: string
  readonly #files: readonly string[]
  readonly #settings: Settings
  readonly #folder = mkdtempSync(join(tmpdir(), 'reelkeep-project-'))

  constructor(engine: Engine, { name, files, settings }: Options) {
    this.#engine = engine
    this.#name = name
    this.#files = files
    this.#settings = {
      ...settings,
      COMPOSE_PROJECT_NAME: name,
      // See writeSettings in engine.ts.
      WORKER_SECURITY_OPT: 'no-new-privileges=true',
    }
  }

  /** Runs docker-compose; if it fails, prints the last lines of the logs. */
  async compose(...args: readonly string[]): Promise<string> {
    try {
      return await this.#dockerCompose(args)
    } catch (error) {
      const noLogs = ({ message }: Error) => `The logs cannot be read: ${message}\n`
      process.stdout.write(await this.#dockerCompose(['logs', '--tail=20']).catch(noLogs))
      throw error
    }
  }

  /** Whether docker-compose succeeds. Prints no logs, so that a command can be repeated until it succeeds. */
  succeeds(...args: readonly string[]): Promise<boolean> {
    return this.#dockerCompose(args).then(
      () => true,
      () => false,
    )
  }

  #dockerCompose(args: readonly string[]): Promise<string> {
    const files = this.#files.flatMap((file) => ['-f', file])
    return this.#engine.run('docker-compose', [...files, ...args], this.#settings)
  }

  /** Runs shell commands in a folder, with the settings of this project; returns their output. */
  runShell(commands: string, folder: string): Promise<string> {
    return this.#engine.run('bash', ['-euo', 'pipefail', '-c', `cd "$0"\n${commands}`, folder], this.#settings)
  }

  /** Changes a setting of the following commands. */
  set(name: string, value: string): void {
    this.#settings[name] = value
  }

  container(service: string): Promise<string> {
    return this.compose('ps', '-q', service).then((output) => output.trim())
  }

  /** The log lines that the container of a service writes from now on; resolves when the container is removed. */
  async followLogs(service: string): Promise<string> {
    const container = await this.container(service)
    return this.#engine.podman('logs', '--follow', '--since=1s', container).catch(() => '')
  }

  /** Restarts an API; returns the time from the start of its container until its health check passes. */
  async secondsUntilReady(service: string): Promise<number> {
    const container = await this.container(service)
    await this.#engine.podman('restart', container)
    // One loop in the container, because each `podman exec` takes half a second.
    const loop = 'until reelkeep healthy api; do sleep 0.05; done'
    await this.#engine.podman('exec', container, 'timeout', String(READY_SECONDS_MAX), 'sh', '-c', loop)
    const end = Date.now()
    const startedAt = await this.#engine.podman('inspect', '--format={{json .State.StartedAt}}', container)
    return (end - Date.parse(JSON.parse(startedAt))) / 1000
  }

  /** Resolves when the API answers that it is ready. */
  async waitUntilReady(service: string): Promise<void> {
    const container = await this.container(service)
    const isReady = () =>
      this.#engine.podman('exec', container, 'reelkeep', 'healthy', 'api').then(
        () => true,
        () => false,
      )
    await poll(`${service} to be ready`, READY_SECONDS_MAX, isReady)
  }

  costs() {
    return this.#engine.costs(this.#name)
  }

  /** The environment that `create-organization` prints. */
  async createOrganization(): Promise<Settings> {
    const output = await this.compose('run', '--rm', '-T', 'admin', 'create-organization', '--name', 'Acme', '--env')
    return Object.fromEntries([...output.matchAll(/^export (\w+)=(\S+)/gm)].map(([, name, value]) => [name, value]))
  }

  /** Installs the packed CLI as npm would. */
  async installCli(tarballs: readonly string[]): Promise<void> {
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs]
    await execute('npm', install, { cwd: this.#folder })
  }

  /** Uploads a video and returns the link that the CLI prints when the video can be played. */
  async upload(file: string, account: Settings): Promise<string> {
    const cli = join(this.#folder, 'node_modules/.bin/reelkeep')
    const args = ['upload', file, '--title', 'First', '--resolutions', '240p', '--watch']
    return linkIn(await this.#engine.run(cli, args, account))
  }

  /** Plays the video in Chromium; throws if it stops or its frames do not change. */
  async play(link: string): Promise<void> {
    await using browser = await openChromium()
    // The certificate of the drill has no known authority.
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    await page.goto(link)
    const { plays, errorCode, seconds } = await reallyPlays(page)
    if (!plays) throw new Error(`The video stopped after ${seconds} s: ${errorCode ?? 'no error is shown'}.`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dockerCompose(['down', '--volumes', '--timeout', '20']).catch(({ message }: Error) => {
      process.stdout.write(`The project ${this.#name} cannot be removed: ${message}\n`)
    })
    rmSync(this.#folder, { recursive: true })
  }
}
