/**
 * `node deploy/docker/sbom.ts SERVICE CLIENTS`: prints the software bill of materials of the image (CycloneDX). SERVICE
 * lists the packages that are installed in it, CLIENTS all packages of player, CLI and site, build tools too. Of these,
 * the image contains what is bundled, according to the license files of the four builds. Run it from the root of the
 * repository, after the builds.
 */
import { readFileSync } from 'node:fs'

type Component = {
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly 'bom-ref': string
  readonly scope?: string
  readonly [field: string]: unknown
}
type Dependency = { readonly ref: string; readonly dependsOn?: readonly string[] }
export type Sbom = {
  readonly metadata: { readonly component: Pick<Component, 'bom-ref'> }
  readonly components: readonly Component[]
  readonly dependencies: readonly Dependency[]
}

type Input = {
  readonly service: Sbom
  readonly clients: Sbom
  /** The texts of the license files. */
  readonly licenses: readonly string[]
  /** The table of 05-ffmpeg. */
  readonly builtPackages: string
  readonly nodeVersion: string
}

/** Adds what is bundled, ffmpeg and Node to the list of the service. */
export function completeSbom({ service, clients, licenses, builtPackages, nodeVersion }: Input): Sbom {
  const bundled = new Set(licenses.flatMap(packagesIn))
  const installed = new Set(service.components.map(packageOf))
  const added = [...bundled.difference(installed)].map((name) => bundledComponent(clients, name))
  const programs = [...builtPackages.trim().split('\n').map(debianProgram), nodeProgram(nodeVersion)]
  const components = [...service.components, ...added, ...programs]
  return { ...service, components, dependencies: dependenciesOf(service, clients, components) }
}

/** The packages in a license file, as `name@version`. Throws if there are none: the format has changed. */
function packagesIn(text: string): string[] {
  const names = [...text.matchAll(/^## (\S+) - (\S+)/gm)].map(([, name, version]) => `${name}@${version}`)
  if (names.length === 0) throw new Error(`A license file names no packages: ${text.slice(0, 100)}`)
  return names
}

const packageOf = ({ purl }: Component) => decodeURIComponent(purl.replace('pkg:npm/', ''))

function bundledComponent(clients: Sbom, name: string): Component {
  const found = clients.components.find((component) => packageOf(component) === name)
  if (!found) throw new Error(`${name} is bundled, but no package depends on it.`)
  // pnpm marks packages that are only installed to build as excluded, but these are in the result.
  return { ...found, scope: 'required' }
}

/** A line of the table: name, version and source package. */
function debianProgram(line: string): Component {
  const [name = '', version = ''] = line.split('\t')
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=source&distro=bookworm`
  // The license of the build, which has the parts under the GPL.
  const licenses = [{ license: { id: 'GPL-2.0-or-later' } }]
  return { type: 'application', name, version, purl, 'bom-ref': purl, licenses }
}

function nodeProgram(version: string): Component {
  const purl = `pkg:generic/node@${version}`
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`
  return {
    type: 'application',
    name: 'node',
    version,
    purl,
    'bom-ref': purl,
    cpe,
    licenses: [{ license: { id: 'MIT' } }],
  }
}

/** The dependencies among the components; the image itself depends on every added one. */
function dependenciesOf(service: Sbom, clients: Sbom, components: readonly Component[]): Dependency[] {
  const refs = new Set(components.map((component) => component['bom-ref']))
  const listed = new Set(service.components.map((component) => component['bom-ref']))
  const added = [...refs.difference(listed)]
  const known = new Map(clients.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
  const image = service.metadata.component['bom-ref']
  return [
    ...service.dependencies.map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: ref === image ? [...dependsOn, ...added] : dependsOn,
    })),
    ...added.map((ref) => ({ ref, dependsOn: (known.get(ref) ?? []).filter((dependency) => refs.has(dependency)) })),
  ]
}

if (import.meta.main) {
  const read = (path: string) => readFileSync(path, 'utf8')
  const [service = '', clients = ''] = process.argv.slice(2)
  const sbom = completeSbom({
    service: JSON.parse(read(service)),
    clients: JSON.parse(read(clients)),
    licenses: ['cli', 'dashboard', 'player', 'site'].map((name) => read(`${name}/dist/third-party-licenses.md`)),
    builtPackages: read('built-packages.tsv'),
    nodeVersion: read('.node-version').trim(),
  })
  process.stdout.write(`${JSON.stringify(sbom, undefined, 2)}\n`)
}
