import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { minifySync } from 'vite'
import { expect, it } from 'vitest'
import * as errors from './errors.ts'

const classes = Object.entries(errors).flatMap(([name, value]) => (value.prototype instanceof Error ? [name] : []))

it('error names are unchanged by minification', async () => {
  const path = join(import.meta.dirname, 'errors.ts')
  const script = stripTypeScriptTypes(readFileSync(path, 'utf8')).replaceAll('export ', '')
  const exported = `${script}\nexport { ${classes} }`
  const { code } = minifySync('errors.js', exported, { module: true })
  expect(code).not.toContain('class NotFoundError')
  const url = `data:text/javascript,${encodeURIComponent(code)}`
  const minified: Record<string, new (...given: unknown[]) => Error> = await import(url)
  const given = { errors: [], detail: '' }
  expect(classes.length).toBeGreaterThan(12)
  for (const name of classes) {
    const Kind = minified[name]
    expect(Kind && new Kind(given, given).name).toBe(name)
  }
})
