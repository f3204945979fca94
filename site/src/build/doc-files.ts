import { copyFileSync, globSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AstroIntegration } from 'astro'
import { repository } from '../docs/pages.ts'

/** Copies the screenshots of docs/ and the OpenAPI document to the site. */
export const copyDocFiles = (): AstroIntegration => ({
  name: 'doc-files',
  hooks: {
    'astro:build:done': ({ dir }) => {
      const docs = join(repository, 'docs')
      const screenshots = globSync('**/*.{png,webp}', { cwd: docs })
      for (const file of screenshots) copy(join(docs, file), join(fileURLToPath(dir), file))
      copy(join(docs, 'reference/openapi.json'), join(fileURLToPath(dir), 'openapi.json'))
    },
  },
})

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
}
