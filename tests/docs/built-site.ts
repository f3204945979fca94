/** The built documentation site. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit'

export const siteFolder = join(root, 'site/dist')

const sources = [
  'README.md',
  'docs/**/*.{md,json,png}',
  'site/{src,public}/**/*.*',
  'site/{astro.config.ts,package.json}',
]

/** Variables that vitest sets and that Astro would read as its own settings. */
const settings = ['BASE_URL', 'DEV', 'MODE', 'NODE_ENV', 'PROD', 'SSR']
const build = [...settings.flatMap((name) => ['-u', name]), 'pnpm', '--filter', '@reelkeep/site', 'build']

/** Builds the site if it is missing or older than its sources. */
export function buildSite(): void {
  const built = join(siteFolder, 'index.html')
  const builtAt = existsSync(built) ? statSync(built).mtimeMs : 0
  const changedAt = Math.max(...globSync(sources, { cwd: root }).map((file) => statSync(join(root, file)).mtimeMs))
  if (builtAt < changedAt) execFileSync('env', build, { cwd: root, stdio: 'pipe' })
}

/** Paths of the HTML pages, relative to the site. */
export const builtPages = (): string[] => globSync('**/*.html', { cwd: siteFolder }).sort()
