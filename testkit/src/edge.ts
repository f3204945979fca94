import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './service-process.ts'
import { root } from './settings.ts'

const run = promisify(execFile)

const START_SECONDS_MAX = 20

/** nginx with the configuration that operators are given, in front of an API. */
export class Edge implements AsyncDisposable {
  readonly baseUrl: string
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child
    this.#folder = folder
    this.baseUrl = `http://127.0.0.1:${port}`
  }

  static async start(apiUrl: string): Promise<Edge> {
    const [{ stdout }, port] = [await run(join(root, 'stack/edge-tools')), await freePort()]
    const folder = mkdtempSync(join(tmpdir(), 'reelkeep-edge-'))
    mkdirSync(join(folder, 'temporary'))
    writeFileSync(join(folder, 'edge.conf'), adapted(folder, port, apiUrl))
    writeFileSync(join(folder, 'nginx.conf'), mainConf(folder))
    // Ended by the kernel with whoever started it.
    const nginx = [stdout.trim(), '-p', folder, '-c', join(folder, 'nginx.conf')]
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...nginx], { stdio: 'inherit' })
    const edge = new Edge(child, folder, port)
    await edge.#ready()
    return edge
  }

  /** What was fetched, a line each. */
  get log(): string {
    return readFileSync(join(this.#folder, 'access.log'), 'utf8')
  }

  get errorLog(): string {
    return readFileSync(join(this.#folder, 'error.log'), 'utf8')
  }

  async #ready(): Promise<void> {
    const deadline = performance.now() + START_SECONDS_MAX * 1000
    while (performance.now() < deadline && this.#child.exitCode === null) {
      if (await fetch(this.baseUrl).catch(() => undefined)) return
      await sleep(50)
    }
    await this[Symbol.asyncDispose]()
    throw new Error('nginx did not start')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await exited
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** What an operator adapts, and the places of files; all the rest is as it is given. */
function adapted(folder: string, port: number, apiUrl: string): string {
  let text = readFileSync(join(root, 'deploy/nginx/reelkeep-edge.conf'), 'utf8')
  for (const [theirs, ours] of [
    ['server 127.0.0.1:8080;', `server ${new URL(apiUrl).host};`],
    ['listen 8088;', `listen 127.0.0.1:${port};`],
    ['/var/cache/nginx/reelkeep-pieces', join(folder, 'pieces')],
    [
      'proxy_cache_path /var/cache/nginx/reelkeep-checks',
      `proxy_cache_path ${join(folder, 'checks')}`,
    ],
    // A minute would be long for a test.
    ['proxy_cache_valid 200 60s;', 'proxy_cache_valid 200 2s;'],
    ['/var/log/nginx/reelkeep-edge.log', join(folder, 'access.log')],
    ['/var/log/nginx/reelkeep-edge-error.log', join(folder, 'error.log')],
  ] as const) {
    if (!text.includes(theirs)) throw new Error(`The edge's configuration has no ${theirs}`)
    text = text.replace(theirs, ours)
  }
  return text
}

function mainConf(folder: string): string {
  const { uid, username } = userInfo()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${join(folder, 'temporary', kind)};`,
  )
  return [
    ...(uid === 0 ? [`user ${username};`] : []),
    'daemon off;',
    'worker_processes 1;',
    `pid ${join(folder, 'pid')};`,
    `error_log ${join(folder, 'error.log')};`,
    'events { worker_connections 2048; }',
    'http {',
    ...temporary,
    `  include ${join(folder, 'edge.conf')};`,
    '}',
    '',
  ].join('\n')
}
