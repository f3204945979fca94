import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AstroIntegration } from 'astro'

const own = fileURLToPath(new URL('../../package.json', import.meta.url))

const starlight = ['@astrojs/starlight']
const expressiveCode = [...starlight, 'astro-expressive-code', 'rehype-expressive-code', 'expressive-code']

/** The packages whose scripts or styles are part of the pages, each after the packages through which it is found. */
const packages = [
  ['astro'],
  starlight,
  [...starlight, '@pagefind/default-ui'],
  [...starlight, 'pagefind'],
  [...expressiveCode, '@expressive-code/core'],
  [...expressiveCode, '@expressive-code/plugin-frames'],
  [...expressiveCode, '@expressive-code/plugin-text-markers'],
]

/** Writes the licenses of these packages, in the format of Vite, to `third-party-licenses.md`. */
export const writeLicenses = (): AstroIntegration => ({
  name: 'licenses',
  hooks: {
    'astro:build:done': ({ dir }) => {
      const texts = packages.map((path) => licenseOf(path.reduce(findManifest, own)))
      writeFileSync(join(fileURLToPath(dir), 'third-party-licenses.md'), `# Licenses\n\n${texts.join('\n')}`)
    },
  },
})

/** Finds a package from the manifest of one that depends on it; throws if it does not depend on it. */
function findManifest(dependent: string, name: string): string {
  const path = findPackageJSON(name, dependent)
  if (path === undefined) throw new Error(`${name} has no package.json.`)
  // pnpm links packages; the dependencies of a package are beside its real folder.
  return realpathSync(path)
}

function licenseOf(manifest: string): string {
  const { name, version, license } = JSON.parse(readFileSync(manifest, 'utf8'))
  const folder = dirname(manifest)
  // A package of a repository with several may have no file of its own.
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  const file = files.find((entry) => /^licen[sc]e/i.test(entry.name))
  const text = file ? `\n${readFileSync(join(folder, file.name), 'utf8').trim()}\n` : ''
  return `## ${name} - ${version} (${license})\n${text}`
}
