import { join } from 'node:path'
import { root } from '@reelkeep/testkit'
import type { DrillReport } from '../support/drill-report.ts'
import type { Engine } from './engine.ts'
import { type InstalledPackage, installedPackages } from './installed-packages.ts'

const HOME = '/opt/reelkeep'
/** One component of each part of the image that is not installed by npm. */
const builtComponents = ['commander', 'react-dom', 'shaka-player', '@astrojs/starlight', 'pagefind', 'ffmpeg', 'node']
const licenseFiles = [
  `${HOME}/LICENSE`,
  `${HOME}/LICENSE.node`,
  `${HOME}/cli/third-party-licenses.md`,
  `${HOME}/dashboard/dist/third-party-licenses.md`,
  `${HOME}/player/dist/third-party-licenses.md`,
  `${HOME}/site/dist/third-party-licenses.md`,
  '/usr/share/doc/ffmpeg/copyright',
  '/usr/share/doc/ffmpeg/SOURCE',
]

type Component = { readonly name: string; readonly group?: string; readonly version: string }

/** Checks that the SBOM of the image lists what is in it, and that no license text is missing. */
export async function checkContents(engine: Engine, report: DrillReport, image: string): Promise<void> {
  const program = `--volume=${join(root, 'tools/drills/containers/installed-packages.ts')}:/installed-packages.ts:ro`
  const list = ['/installed-packages.ts', `${HOME}/node_modules/.pnpm`]
  const output = await engine.podman('run', '--rm', program, '--entrypoint=node', image, ...list)
  const installed = JSON.parse(output) as InstalledPackage[]
  const print = ['run', '--rm', '--entrypoint=cat', image]
  const sbom = JSON.parse(await engine.podman(...print, `${HOME}/sbom.cdx.json`)) as { components: Component[] }
  const names = sbom.components.map(({ group, name }) => (group ? `${group}/${name}` : name))
  const listed = new Set(sbom.components.map(({ version }, index) => `${names[index]}@${version}`))
  report.note('components in the SBOM of the image', listed.size)
  report.checkNone('parts of the image that its SBOM does not list', [
    ...installed.map(({ id }) => id).filter((id) => !listed.has(id)),
    ...builtComponents.filter((name) => !names.includes(name)),
  ])

  // Some packages are published without a license text.
  const complete = installedPackages(join(root, 'node_modules/.pnpm')).filter(({ hasLicense }) => hasLicense)
  const without = new Set(installed.filter(({ hasLicense }) => !hasLicense).map(({ id }) => id))
  const missing = await engine.podman(...print, ...licenseFiles).then(
    () => [],
    (error: Error) => [error.message],
  )
  report.checkNone('license texts that the image lacks', [
    ...complete.map(({ id }) => id).filter((id) => without.has(id)),
    ...missing,
  ])
}
