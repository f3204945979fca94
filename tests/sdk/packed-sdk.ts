/** The SDK as it is published: built, packed, and installed in an empty folder, where nothing of ours is. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from '@reelkeep/testkit'

export type PackedSdk = {
  /** With the package in its `node_modules`. */
  readonly folder: string
  /** Paths of all files in the package. */
  readonly packed: readonly string[]
  /** The file that browsers and edge runtimes get. */
  readonly webFile: string
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export async function packSdk(): Promise<PackedSdk> {
  const folder = mkdtempSync(join(tmpdir(), 'reelkeep-sdk-'))
  const source = join(folder, 'source')
  const installed = join(folder, 'node_modules/reelkeep')
  mkdirSync(installed, { recursive: true })
  mkdirSync(source)
  const sdk = join(root, 'sdk')
  // Where `pnpm build:sdk` writes, somebody else may be building.
  execFileSync('pnpm', ['run', 'build', join(source, 'dist')], { cwd: sdk, stdio: 'pipe' })
  for (const name of globSync(['package.json', 'README.md', 'LICENSE'], { cwd: sdk }))
    copyFileSync(join(sdk, name), join(source, name))
  execFileSync('pnpm', ['pack', '--pack-destination', folder], { cwd: source, stdio: 'pipe' })
  const [tarball = ''] = globSync('*.tgz', { cwd: folder })
  // It has no dependency, so this is all that installing it does.
  execFileSync('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1'])
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const found = globSync('**', { cwd: installed, withFileTypes: true })
  const files = found.filter((each) => each.isFile())
  return {
    folder,
    packed: files.map(({ parentPath, name }) => relative(installed, join(parentPath, name))),
    webFile: join(installed, 'dist/reelkeep.js'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
