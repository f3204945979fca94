/**
 * nginx in front of the API, with the start script and the configuration that Compose uses. Only addresses and paths
 * differ.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, nginxConf, poll, root, stopChild } from '@reelkeep/testkit'
import type { Endpoint } from '../load/load-connection.ts'

const run = promisify(execFile)

const START_SECONDS_MAX = 20
const API_HOST = 'video.example'
const PLAYBACK_HOST = 'watch.example'

export class ComposeEdge implements AsyncDisposable {
  readonly api: Endpoint
  readonly playback: Endpoint
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child
    this.#folder = folder
    const certificate = readFileSync(join(folder, 'certificates/fullchain.pem'), 'utf8')
    const endpoint = { baseUrl: () => `https://127.0.0.1:${port}`, certificate }
    this.api = { ...endpoint, host: API_HOST }
    this.playback = { ...endpoint, host: PLAYBACK_HOST }
  }

  /** Starts nginx. `apiAddresses` are hosts with ports. */
  static async start(apiAddresses: readonly string[]): Promise<ComposeEdge> {
    const folder = mkdtempSync(join(tmpdir(), 'reelkeep-compose-edge-'))
    for (const name of ['conf.d', 'bin', 'certificates', 'temporary']) mkdirSync(join(folder, name))
    await makeCertificate(join(folder, 'certificates'))
    await gatherFiles(folder)
    const [tls, plain] = [await freePort(), await freePort()]
    await writeNginx(folder, { tls, plain })
    const start = ['--pdeathsig', 'KILL', '/bin/sh', join(root, 'deploy/compose/edge/start')]
    const child = spawn('setpriv', start, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: `${join(folder, 'bin')}:/usr/sbin:/usr/bin:/sbin:/bin`,
        ...{ FOLDER: join(folder, 'files'), INTO: join(folder, 'conf.d') },
        CERTIFICATES: join(folder, 'certificates'),
        ...{ API_HOST, PLAYBACK_HOST, EDGE_CACHE_SIZE: '1g' },
        API_ADDRESSES: apiAddresses.join(' '),
      },
    })
    const edge = new ComposeEdge(child, folder, tls)
    await poll('nginx', START_SECONDS_MAX, () => edge.#answers())
    return edge
  }

  async #answers(): Promise<boolean> {
    const { baseUrl, certificate: ca, host: servername } = this.api
    const sent = request(baseUrl(), { ca, servername, agent: false }).end()
    return await once(sent, 'response').then(
      ([answer]) => {
        answer.resume()
        return true
      },
      () => false,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await stopChild(this.#child)
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Copies the files that compose.yaml mounts into the container. */
async function gatherFiles(folder: string): Promise<void> {
  const files = ['deploy/compose/edge/api.conf', 'deploy/nginx/reelkeep-edge.conf']
  mkdirSync(join(folder, 'files'))
  await run('cp', [...files.map((file) => join(root, file)), join(folder, 'files')])
}

async function makeCertificate(folder: string): Promise<void> {
  const options = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${API_HOST}`]
  const names = ['-addext', `subjectAltName=DNS:${API_HOST},DNS:${PLAYBACK_HOST}`]
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')]
  await run('openssl', [...options, ...names, ...files])
}

type Ports = { readonly tls: number; readonly plain: number }

/**
 * Writes a script that replaces the nginx of the container: it runs Debian's nginx with unprivileged ports and writable
 * paths.
 */
async function writeNginx(folder: string, { tls, plain }: Ports): Promise<void> {
  const { stdout } = await run(join(root, 'stack/edge-tools'))
  const script = `#!/bin/sh
sed -i -e 's|/var/cache/nginx|${folder}|' -e 's|listen 443|listen 127.0.0.1:${tls}|; s|listen \\[::\\]:[0-9]*[^;]*;||' \\
  -e 's|listen 80 |listen 127.0.0.1:${plain} |' -e 's|access_log /dev/stdout|access_log ${folder}/access.log|' \\
  '${folder}/conf.d/'*.conf
exec '${stdout.trim()}' "$@" -p '${folder}' -c '${folder}/nginx.conf'
`
  writeFileSync(join(folder, 'bin/nginx'), script)
  chmodSync(join(folder, 'bin/nginx'), 0o755)
  const conf = nginxConf(folder, ['worker_processes 2;', 'error_log stderr crit;'], 'conf.d/*.conf')
  writeFileSync(join(folder, 'nginx.conf'), conf)
}
