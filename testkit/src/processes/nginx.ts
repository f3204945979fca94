import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { poll } from '../poll.ts'
import { root } from '../settings.ts'
import { freePort } from './free-port.ts'
import { stopChild } from './stop-child.ts'

const run = promisify(execFile)

const START_SECONDS_MAX = 20

/** Renders the file that an operator puts into conf.d, given a folder for files and the port to listen on. */
export type Site = (folder: string, port: number) => string

/** Runs Debian's nginx with one site. */
export class Nginx implements AsyncDisposable {
  readonly baseUrl: string
  /** Path of the site's configuration; tests replace it and reload. */
  readonly siteFile: string
  /** The command that makes nginx reload its configuration. */
  readonly reload: readonly string[]
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(program: string, folder: string, port: number) {
    const nginx = [program, '-p', folder, '-c', join(folder, 'nginx.conf')]
    // The kernel kills nginx when this process ends.
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', ...nginx], { stdio: 'inherit' })
    this.#folder = folder
    this.siteFile = join(folder, 'site.conf')
    this.reload = [...nginx, '-s', 'reload']
    this.baseUrl = `http://127.0.0.1:${port}`
  }

  static async start(site: Site): Promise<Nginx> {
    const [{ stdout }, port] = [await run(join(root, 'stack/edge-tools')), await freePort()]
    const folder = mkdtempSync(join(tmpdir(), 'reelkeep-nginx-'))
    mkdirSync(join(folder, 'temporary'))
    writeFileSync(join(folder, 'site.conf'), site(folder, port))
    writeFileSync(
      join(folder, 'nginx.conf'),
      nginxConf(folder, ['daemon off;', `error_log ${join(folder, 'error.log')};`], 'site.conf'),
    )
    const nginx = new Nginx(stdout.trim(), folder, port)
    await poll('nginx', START_SECONDS_MAX, () => fetch(nginx.baseUrl).catch(() => undefined))
    return nginx
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** The access log, one line per request. */
  get log(): string {
    return readFileSync(join(this.#folder, 'access.log'), 'utf8')
  }

  get errorLog(): string {
    return readFileSync(join(this.#folder, 'error.log'), 'utf8')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await stopChild(this.#child)
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Replaces texts. Throws if one of them is missing. */
export function replaceTexts(text: string, changes: readonly (readonly [string, string])[]): string {
  let result = text
  for (const [original, replacement] of changes) {
    if (!result.includes(original)) throw new Error(`The configuration has no ${original}`)
    result = result.replace(original, replacement)
  }
  return result
}

/** Returns the main configuration: paths that this user can write, and the sites to include. */
export function nginxConf(folder: string, options: readonly string[], sites: string): string {
  const { uid, username } = userInfo()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${join(folder, 'temporary', kind)};`,
  )
  return [
    ...(uid === 0 ? [`user ${username};`] : []),
    ...options,
    `pid ${join(folder, 'pid')};`,
    'events { worker_connections 2048; }',
    'http {',
    ...temporary,
    `  include ${join(folder, sites)};`,
    '}',
    '',
  ].join('\n')
}
