/** The SBOM of the image: the commands of 20-dependencies on this repository, and what 30-service adds. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { completeSbom, type Sbom } from '../../deploy/docker/sbom.ts'

type Dependencies = Readonly<Record<string, string | { readonly version: string }>>
type Package = { readonly dependencies?: Dependencies; readonly optionalDependencies?: Dependencies }
const lockfile = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')) as {
  readonly importers: Readonly<Record<string, Package>>
  readonly snapshots: Readonly<Record<string, Package>>
  readonly packages: Readonly<Record<string, Machine>>
}
type Machine = { readonly os?: string[]; readonly cpu?: string[]; readonly libc?: string[] }

/** Packages with native code exist for several machines; only that of this one is installed. */
function isForOtherMachine(key: string): boolean {
  const { os = [process.platform], cpu = [process.arch], libc = ['glibc'] } = lockfile.packages[key] ?? {}
  return !os.includes(process.platform) || !cpu.includes(process.arch) || !libc.includes('glibc')
}

/** Adds all production dependencies of a package, as `name@version`. */
function collect(part: Package | undefined, found: Set<string>) {
  for (const [name, entry] of Object.entries({ ...part?.dependencies, ...part?.optionalDependencies })) {
    const version = typeof entry === 'string' ? entry : entry.version
    const key = version.startsWith('link:') ? undefined : `${name}@${version}`
    if (!key || found.has(key) || isForOtherMachine(key)) continue
    found.add(key)
    expect(lockfile.snapshots).toHaveProperty([key])
    collect(lockfile.snapshots[key], found)
  }
}

const step = readFileSync(join(root, 'deploy/docker/steps/20-dependencies'), 'utf8').replaceAll('\\\n', ' ')
const [clientsCommand = '', serviceCommand = ''] = step.match(/^pnpm sbom .*(?= --out)/gm) ?? []
const listWith = (command: string): Sbom =>
  JSON.parse(execFileSync('bash', ['-c', command], { cwd: root, encoding: 'utf8' }))

const packagesOf = ({ components }: Sbom) => components.map(({ purl }) => decodeURIComponent(purl.slice(8)))
const versionOf = (sbom: Sbom, name: string) => packagesOf(sbom).find((one) => one.startsWith(`${name}@`)) ?? ''
const heading = (name: string) =>
  `## ${name.slice(0, name.lastIndexOf('@'))} - ${name.slice(name.lastIndexOf('@') + 1)}`

const service = listWith(serviceCommand)
const clients = listWith(clientsCommand)
const builtPackages = 'ffmpeg\t7:5.1.8-0+deb12u1\tffmpeg\n'
const bundled = ['commander', '@inquirer/core', 'shaka-player', '@astrojs/starlight', 'pagefind'].map((name) =>
  versionOf(clients, name),
)
const licenses = [`# Licenses\n\n${bundled.map((name) => `${heading(name)} (MIT)\n\nA text.\n`).join('\n')}`]
const input = { service, clients, licenses, builtPackages, nodeVersion: '24.0.0' }

it('the list of the service has exactly its production dependencies', () => {
  expect(serviceCommand).toContain('--prod')
  expect(service).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
  const found = new Set<string>()
  for (const name of ['contract', 'media', 'server']) collect(lockfile.importers[name], found)
  const wanted = new Set([...found].map((key) => key.replace(/\(.*/, '')))
  const listed = packagesOf(service).filter((name) => !name.startsWith('@reelkeep/'))
  expect(listed.sort()).toEqual([...wanted].sort())
  expect(wanted.size).toBeGreaterThan(100)
})

it('the SBOM adds what is bundled, ffmpeg and Node, but no build tools', () => {
  const sbom = completeSbom(input)
  const added = sbom.components.slice(service.components.length)
  expect(added.map(({ name, version, scope }) => ({ name, version, scope })).slice(-2)).toEqual([
    { name: 'ffmpeg', version: '7:5.1.8-0+deb12u1', scope: undefined },
    { name: 'node', version: '24.0.0', scope: undefined },
  ])
  expect(added.slice(0, -2).map(({ scope }) => scope)).toEqual(bundled.map(() => 'required'))
  expect(packagesOf({ ...sbom, components: added.slice(0, -2) })).toEqual(bundled)
  expect(versionOf(clients, 'vite')).not.toBe('')
  expect(versionOf(sbom, 'vite')).toBe('')
})

it('the SBOM lists every component once, and its dependencies only on listed components', () => {
  const { components, dependencies, metadata } = completeSbom({ ...input, licenses: [...licenses, ...licenses] })
  const refs = components.map((component) => component['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  const known = new Set([...refs, metadata.component['bom-ref']])
  expect(dependencies.map(({ ref }) => ref).sort()).toEqual([...known].sort())
  const unknown = dependencies.flatMap(({ dependsOn = [] }) => dependsOn.filter((ref) => !known.has(ref)))
  expect(unknown).toEqual([])
})

it('the SBOM is refused if a bundled package is unknown or a license file has none', () => {
  const unknown = { ...input, licenses: [`# Licenses\n\n${heading('left-pad@1.0.0')}\n`] }
  expect(() => completeSbom(unknown)).toThrow('left-pad@1.0.0 is bundled, but no package depends on it.')
  expect(() => completeSbom({ ...input, licenses: ['# Licenses\n'] })).toThrow('names no packages')
})
