/** The product that `compose.yaml` starts, used from outside like by a new user. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openChromium } from '../../../tests/browser/chromium.ts'
import { reallyPlays } from '../../../tests/browser/playback/watching.ts'
import type { Engine } from './engine.ts'

const execute = promisify(execFile)
const PROJECT = 'reelkeep-drill'
const READY_POLL_MS = 50

export type Ports = { readonly api: number; readonly storage: number }

export class ComposeProject implements AsyncDisposable {
  readonly #engine: Engine
  readonly #settings: Record<string, string>
  readonly #folder = mkdtempSync(join(tmpdir(), 'reelkeep-project-'))
  readonly apiUrl: string

  constructor(engine: Engine, ports: Ports) {
    this.#engine = engine
    this.apiUrl = `http://localhost:${ports.api}`
    this.#settings = {
      COMPOSE_PROJECT_NAME: PROJECT,
      API_PORT: String(ports.api),
      STORAGE_PORT: String(ports.storage),
      STORAGE_PUBLIC_ENDPOINT: `http://localhost:${ports.storage}`,
      // See writeSettings in engine.ts.
      WORKER_SECURITY_OPT: 'no-new-privileges=true',
    }
  }

  async compose(...args: readonly string[]): Promise<string> {
    try {
      return await this.#engine.run('docker-compose', args, this.#settings)
    } catch (error) {
      process.stdout.write(await this.#engine.run('docker-compose', ['logs', '--tail=20'], this.#settings))
      throw error
    }
  }

  useVersion(version: string): void {
    this.#settings['REELKEEP_VERSION'] = version
  }

  /** Restarts a service; returns the time until its health check passes. */
  async secondsUntilReady(service: string): Promise<number> {
    const container = (await this.compose('ps', '-q', service)).trim()
    await this.#engine.podman('restart', container)
    const start = performance.now()
    while ((await this.#status(container)) !== 0) await sleep(READY_POLL_MS)
    return (performance.now() - start) / 1000
  }

  #status(container: string): Promise<number> {
    return this.#engine.podman('exec', container, 'reelkeep', 'healthy', 'api').then(
      () => 0,
      () => 1,
    )
  }

  costs() {
    return this.#engine.costs(PROJECT)
  }

  /** The environment that `create-organization` prints. */
  async createOrganization(): Promise<Record<string, string>> {
    const output = await this.compose('run', '--rm', '-T', 'admin', 'create-organization', '--name', 'Acme', '--env')
    return Object.fromEntries([...output.matchAll(/^export (\w+)=(\S+)/gm)].map(([, name, value]) => [name, value]))
  }

  /** Installs the packed CLI as npm would. */
  async installCli(tarballs: readonly string[]): Promise<void> {
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs]
    await execute('npm', install, { cwd: this.#folder })
  }

  /** Uploads a video and returns the link that the CLI prints when the video can be played. */
  async upload(file: string, account: Record<string, string>): Promise<string> {
    const cli = join(this.#folder, 'node_modules/.bin/reelkeep')
    const args = ['upload', file, '--title', 'First', '--resolutions', '240p', '--watch']
    const stdout = await this.#engine.run(cli, args, account)
    const link = /https?:\S+\/embed\/\S+/.exec(stdout)?.[0]
    if (!link) throw new Error(`The CLI printed no link:\n${stdout}`)
    return link
  }

  /** Plays the video in Chromium; throws if it stops or its frames do not change. */
  async play(link: string): Promise<void> {
    await using browser = await openChromium()
    const page = await browser.newPage()
    await page.goto(link)
    const { plays, errorCode, seconds } = await reallyPlays(page)
    if (!plays) throw new Error(`The video stopped after ${seconds} s: ${errorCode ?? 'no error is shown'}.`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.compose('down', '--volumes', '--timeout', '20').catch(() => {})
    rmSync(this.#folder, { recursive: true })
  }
}
