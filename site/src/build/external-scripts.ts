/**
 * Moves the inline scripts of all pages to files, so that the content security policy of the API needs neither
 * `unsafe-inline` nor a list of hashes. A script without `async` and `defer` still runs where its element is.
 */
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AstroIntegration } from 'astro'

const FOLDER = '_astro'
/** The attribute of a copy button contains its sample, which may be HTML; it is matched in order to be skipped. */
const copiedCode = 'data-code="[^"]*"'
const inlineScript = '<script((?:\\s(?!src=)[\\w-]+(?:="[^"]*")?)*)>([^<]*(?:<(?!/script>)[^<]*)*)</script>'

export const externalScripts = (): AstroIntegration => ({
  name: 'external-scripts',
  hooks: {
    'astro:build:done': ({ dir }) => {
      const site = fileURLToPath(dir)
      mkdirSync(join(site, FOLDER), { recursive: true })
      for (const name of globSync('**/*.html', { cwd: site })) {
        const path = join(site, name)
        writeFileSync(path, withExternalScripts(readFileSync(path, 'utf8'), site))
      }
    },
  },
})

function withExternalScripts(page: string, site: string): string {
  return page.replace(new RegExp(`${copiedCode}|${inlineScript}`, 'g'), (whole, attributes = '', code = '') => {
    if (code.trim() === '') return whole
    const hash = createHash('sha256').update(code).digest('hex').slice(0, 12)
    const file = `${FOLDER}/inline.${hash}.js`
    writeFileSync(join(site, file), code)
    return `<script${attributes} src="/docs/${file}"></script>`
  })
}
