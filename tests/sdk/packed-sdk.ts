/** The SDK as published: built, packed, and installed in an empty folder. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from '@reelkeep/testkit'

export type PackedSdk = {
  /** Folder with the package in `node_modules`. */
  readonly folder: string
  /** Paths of all files in the package. */
  readonly packed: readonly string[]
  /** Path of the bundle for browsers and edge runtimes. */
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
  // Builds into another folder than the default, because another test may be building there.
  execFileSync('pnpm', ['run', 'build', join(source, 'dist')], { cwd: sdk, stdio: 'pipe' })
  for (const name of globSync(['package.json', 'README.md', 'LICENSE'], { cwd: sdk }))
    copyFileSync(join(sdk, name), join(source, name))
  execFileSync('pnpm', ['pack', '--pack-destination', folder], { cwd: source, stdio: 'pipe' })
  const [tarball = ''] = globSync('*.tgz', { cwd: folder })
  // The package has no dependencies, so this is a complete installation.
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
