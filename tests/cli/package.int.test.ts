/** Tests the CLI package as published: built, packed, and installed in an empty folder with the SDK. */
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it, onTestFinished } from 'vitest'
import { packSdk } from '../sdk/packed-sdk.ts'

const sdk = await opened(packSdk())
const cli = join(root, 'cli')
/** The CLI sends no request to this URL, because the file to upload does not exist. */
const nowhere = {
  REELKEEP_URL: 'http://127.0.0.1:9',
  REELKEEP_ORGANIZATION: 'acme1234',
  REELKEEP_TOKEN: 'rk_token',
}
const require = createRequire(import.meta.url)
const lowestNode = require.resolve('node-22/bin/node')

it('the CLI package contains only the built files, and runs in the lowest supported version of Node', () => {
  execFileSync('pnpm', ['run', 'build'], { cwd: cli, stdio: 'pipe' })
  const folder = mkdtempSync(join(tmpdir(), 'reelkeep-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  execFileSync('pnpm', ['pack', '--pack-destination', folder], { cwd: cli, stdio: 'pipe' })
  const [tarball = ''] = globSync('*.tgz', { cwd: folder })
  const installed = join(folder, 'node_modules/@reelkeep/cli')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1'])

  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(manifest.bin).toEqual({ reelkeep: './dist/main.js' })
  expect(globSync('**/*{.*,LICENSE}', { cwd: installed }).sort()).toEqual([
    'LICENSE',
    'README.md',
    'dist/main.js',
    'package.json',
  ])

  // Installs what npm would install next to the CLI: the published SDK and the other dependencies.
  const { reelkeep, ...others } = manifest.dependencies
  expect(reelkeep).toMatch(/^\d/)
  symlinkSync(join(sdk.folder, 'node_modules/reelkeep'), join(folder, 'node_modules/reelkeep'))
  for (const name of Object.keys(others)) {
    mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true })
    symlinkSync(join(cli, 'node_modules', name), join(folder, 'node_modules', name))
  }
  const [, lowest] = /^>=(.+)$/.exec(manifest.engines.node) ?? []
  expect(execFileSync(lowestNode, ['--version'], { encoding: 'utf8' })).toBe(`v${lowest}.0\n`)
  for (const node of [process.execPath, lowestNode]) {
    const run = (args: string[], env: Record<string, string> = {}) =>
      spawnSync(node, [join(installed, manifest.bin.reelkeep), ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: { XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, ...env },
      })
    expect(run(['--version']).stdout).toBe(`${manifest.version}\n`)
    expect(run(['whoami'])).toMatchObject({ status: 3, stderr: expect.stringContaining('login') })
    expect(run(['upload', 'missing.mp4'], nowhere)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('missing.mp4: does not exist.'),
    })
  }
})
