import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@reelkeep/testkit'
import { root } from '@reelkeep/testkit/settings'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'compose-edge-'))
const inFolder = (name: string) => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true }))

/**
 * A script that replaces nginx in the container. It adapts paths and ports to this machine and lets Debian's nginx
 * check the configuration.
 */
const judge = (nginx: string, ports: { readonly tls: number; readonly plain: number }) => `#!/bin/sh
sed -i -e 's|/var/cache/nginx|${folder}|; s|listen 443|listen ${ports.tls}|g; s|:443 |:${ports.tls} |g' \\
  -e 's|listen 80 |listen ${ports.plain} |; s|:80 |:${ports.plain} |' '${folder}/conf.d/'*.conf.seen
# In a container its output can be opened by name; the output of this process cannot.
exec '${nginx}' -t -p '${folder}' -c '${folder}/nginx.conf' >'${folder}/out'
`

const main = `pid ${folder}/pid;
error_log stderr;
events {}
http { access_log off; include ${folder}/conf.d/*.seen; }
`

function makeCertificate(): void {
  mkdirSync(inFolder('certificates'))
  const files = ['-keyout', inFolder('certificates/privkey.pem'), '-out', inFolder('certificates/fullchain.pem')]
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=video.example', ...files]
  execFileSync('openssl', args, { stdio: 'ignore' })
}

let testOutput: string

beforeAll(async () => {
  const nginx = (await run(join(root, 'stack/edge-tools'))).stdout.trim()
  for (const name of ['conf.d', 'reelkeep', 'bin']) mkdirSync(inFolder(name))
  makeCertificate()
  cpSync(join(root, 'deploy/nginx/reelkeep-edge.conf'), inFolder('reelkeep/reelkeep-edge.conf'))
  cpSync(join(root, 'deploy/compose/edge/api.conf'), inFolder('reelkeep/api.conf'))
  const ports = { tls: await freePort(), plain: await freePort() }
  const copies = `cd '${folder}/conf.d' && for conf in *.conf; do cp "$conf" "$conf.seen"; done\n`
  writeFileSync(inFolder('nginx.conf'), main)
  writeFileSync(inFolder('bin/nginx'), judge(nginx, ports).replace('\n', `\n${copies}`))
  chmodSync(inFolder('bin/nginx'), 0o755)
  const { stderr } = await run('/bin/sh', [join(root, 'deploy/compose/edge/start')], {
    env: {
      PATH: `${inFolder('bin')}:/usr/bin:/bin`,
      FOLDER: inFolder('reelkeep'),
      INTO: inFolder('conf.d'),
      CERTIFICATES: inFolder('certificates'),
      API_ADDRESSES: '127.0.0.1:1 127.0.0.1:2',
      API_HOST: 'video.example',
      PLAYBACK_HOST: 'watch.example',
      EDGE_CACHE_SIZE: '20g',
    },
  })
  testOutput = stderr
})

describe("the edge's configuration, generated at container start", () => {
  it('is accepted by nginx without a warning', () => {
    expect(testOutput).toContain('test is successful')
    expect(testOutput).not.toContain('[warn]')
  })

  it('has the settings of the operator in every line that must be adapted', () => {
    const edge = readFileSync(inFolder('conf.d/reelkeep-edge.conf'), 'utf8')
    expect(edge).not.toMatch(/127\.0\.0\.1:8080|listen 8088|max_size=100g|\/var\/log/)
    expect(edge).toContain('server_name watch.example;')
    expect(edge).toContain('server 127.0.0.1:1 fail_timeout=1s; server 127.0.0.1:2 fail_timeout=1s; ')
    expect(readFileSync(inFolder('conf.d/api.conf'), 'utf8')).not.toMatch(/API_HOST|CERTIFICATES/)
  })

  it('sends Strict-Transport-Security once, also in responses of nginx itself', () => {
    const api = readFileSync(inFolder('conf.d/api.conf'), 'utf8')
    expect(api).toContain('proxy_hide_header Strict-Transport-Security;')
    expect(api.match(/add_header/g)).toHaveLength(1)
    expect(api).toContain('add_header Strict-Transport-Security "max-age=31536000" always;')
  })

  it.each(['api.conf', 'reelkeep-edge.conf'])(
    'stops trying to connect to an API instance after a second: %s',
    (name) => {
      const text = readFileSync(inFolder(`conf.d/${name}`), 'utf8')
      expect(text.match(/proxy_connect_timeout .*;/g)).toEqual(['proxy_connect_timeout 1s;'])
    },
  )
})
