/** Tests the packages as published: packed, installed in an empty folder, and used in several versions of Node. */
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { expected, openRuntimeFixture } from '../sdk/runtime-fixture.ts'
import { Running } from './cli-fixture.ts'

const require = createRequire(import.meta.url)
/** The lowest supported versions, and the version that the project is developed with. */
const nodes = [require.resolve('node-20/bin/node'), require.resolve('node-22/bin/node'), process.execPath].map(
  (node) => ({ node, version: execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim() }),
)

const folder = installPackages()
const service = await opened(openRuntimeFixture('packages'))
const command = join(folder, 'node_modules/.bin/reelkeep')
const installed = join(folder, 'node_modules/@reelkeep/cli')
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

/** Packs the packages, and installs them without a network: they have no dependencies. */
function installPackages(): string {
  execFileSync('pnpm', ['run', 'pack:packages'], { cwd: root, stdio: 'pipe' })
  const folder = mkdtempSync(join(tmpdir(), 'reelkeep-packages-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const quiet = ['--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')]
  const tarballs = ['reelkeep', 'reelkeep-cli'].map(tarballOf)
  execFileSync('npm', ['install', ...quiet, ...tarballs], { cwd: folder, stdio: 'pipe' })
  return folder
}

function tarballOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'))
  return join(root, `packages/${name}-${version}.tgz`)
}

describe.each([
  { name: 'reelkeep', built: ['dist/queue.js', 'dist/reelkeep.js', 'dist/reelkeep.node.js'] },
  { name: 'reelkeep-cli', built: ['dist/main.js', 'dist/third-party-licenses.md'] },
])('the tarball $name, published to npm without sending it', ({ name, built }) => {
  type Published = { readonly name: string; readonly files: readonly { readonly path: string }[] }
  const publish = ['publish', tarballOf(name), '--dry-run', '--json', '--offline', '--access', 'public']
  const cache = ['--cache', join(folder, 'cache')]
  const output = execFileSync('npm', [...publish, ...cache], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  // Some versions of npm print the package alone, others by its name.
  const printed = JSON.parse(output) as Published | Record<string, Published>
  const published = ('files' in printed ? printed : Object.values(printed)[0]) as Published
  const own = JSON.parse(readFileSync(join(folder, 'node_modules', published.name, 'package.json'), 'utf8'))

  it('contains built files, type declarations, README and license, and nothing else', () => {
    const paths = published.files.map(({ path }) => path)
    const other = paths.filter((path) => !/^dist\/types\/.*(?<!\.test)\.d\.ts$/.test(path))
    expect(other.sort()).toEqual(['LICENSE', 'README.md', ...built, 'package.json'])
    for (const file of filesOf(own)) expect(paths).toContain(file)
  })

  it('is public, has provenance, and names the repository that the provenance must name', () => {
    expect(own.publishConfig).toMatchObject({ access: 'public', provenance: true })
    expect(own.repository.url).toMatch(/^git\+https:\/\/github\.com\/[\w-]+\/[\w-]+\.git$/)
    expect(own.license).toBe('Apache-2.0')
  })

  it('runs no script when it is installed', () => {
    expect(Object.keys(own.scripts ?? {}).filter((script) => /install|prepare|publish/.test(script))).toEqual([])
  })
})

/** Files that the manifest of a package refers to. */
function filesOf({ bin = {}, exports: exported = {} }: { readonly bin?: object; readonly exports?: object }): string[] {
  return JSON.stringify([bin, exported]).match(/(?<="\.\/)[\w./-]+(?="[,}])/g) ?? []
}

describe('the CLI package', () => {
  it('has no dependencies, and contains only built files', () => {
    expect(manifest.dependencies).toBeUndefined()
    const visible = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))
    expect(visible).toEqual(['@reelkeep', 'reelkeep'])
    expect(globSync('**/*{.*,LICENSE}', { cwd: installed }).sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist/main.js',
      'dist/third-party-licenses.md',
      'package.json',
    ])
  })

  it('contains the license texts of everything that is bundled', () => {
    const sections = readFileSync(join(installed, 'dist/third-party-licenses.md'), 'utf8').split(/^## /m).slice(1)
    const names = sections.map((section) => section.split(' - ')[0])
    const bundled = Object.keys(manifest.devDependencies).filter((name) => !['reelkeep', 'vite'].includes(name))
    expect(names).toEqual(expect.arrayContaining(bundled))
    expect(sections.filter((section) => !/permission/i.test(section))).toEqual([])
  })

  it('declares the lowest versions of Node that it is tested with', () => {
    const [lowest, next] = nodes.map(({ version }) => version)
    expect(manifest.engines.node).toBe(`^${lowest} || >=${next}`)
  })
})

describe.each(nodes)('with Node $version, the packages', ({ node, version }) => {
  const home = join(folder, version)
  mkdirSync(home)
  // The first line of the command finds Node by PATH.
  const environment = { PATH: `${dirname(node)}:/usr/bin:/bin`, HOME: home }
  const start = (args: readonly string[], env: Record<string, string>) =>
    new Running(spawn(command, args, { cwd: home, env: { ...environment, ...env }, stdio: 'pipe' }))

  const newLogin = async () => {
    const { settings, ...task } = await service.newTask()
    const { url, organization, token } = settings
    const env = { REELKEEP_URL: url, REELKEEP_ORGANIZATION: organization, REELKEEP_TOKEN: token }
    return { ...task, settings, env }
  }

  it('upload and process a video on the command line', async () => {
    const { env, video } = await newLogin()
    expect(await start(['--version'], {}).ended()).toMatchObject({ code: 0, stdout: `${manifest.version}\n` })
    writeFileSync(join(home, 'film.mp4'), Buffer.from(video, 'base64'))
    const uploaded = await start(['upload', 'film.mp4', '--resolutions', '240p', '--watch'], env).ended()
    expect(uploaded).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✓ \S+ {2}film\.mp4\n/) })
    const missing = await start(['upload', 'missing.mp4'], env).ended()
    expect(missing).toMatchObject({ code: 2, stderr: '✗ missing.mp4: does not exist. (file_not_found)\n' })
  })

  it('receive and verify a webhook', async () => {
    const { env, delivery } = await newLogin()
    const secret = { ...env, REELKEEP_WEBHOOK_SECRET: delivery.secret }
    const listening = start(['webhooks', 'listen', '--with-secret'], secret)
    await expect.poll(listening.stderr).toContain('Listening on')
    const [address] = /127\.0\.0\.1:\d+/.exec(listening.stderr()) ?? []
    const { body, headers } = delivery
    expect((await fetch(`http://${address}/`, { method: 'POST', body, headers })).status).toBe(204)
    expect(await listening.interrupted()).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('folder.created'),
    })
  })

  it('prompt for credentials', async () => {
    const { settings } = await newLogin()
    const env = { ...environment, TERM: 'xterm' }
    const prompt = new Running(spawn('script', ['-qec', `${command} login`, '/dev/null'], { env, stdio: 'pipe' }))
    for (const [question, input] of [
      ['Service URL', settings.url],
      ['Organization', settings.organization],
      ['Token', settings.token],
    ] as const) {
      await expect.poll(prompt.stdout).toContain(question)
      prompt.child.stdin?.write(`${input}\r`)
    }
    expect(await prompt.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining('Logged in') })
  })

  it('run the program every-runtime.js with the SDK', async () => {
    const { settings, delivery, video } = await newLogin()
    copyFileSync(join(import.meta.dirname, '../sdk/every-runtime.js'), join(folder, 'every-runtime.mjs'))
    const code = `
      import { tryOut } from './every-runtime.mjs'
      const done = await tryOut(${JSON.stringify({ settings, delivery, video })})
      console.log(JSON.stringify({ ...done, version: process.versions.node }))`
    const done = execFileSync(node, ['--input-type=module', '-e', code], { cwd: folder, encoding: 'utf8' })
    expect(JSON.parse(done)).toEqual({ ...expected, version })
  })
})
