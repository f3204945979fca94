/** Which Markdown files are published, and under which ids. The id is the path of the page below `/docs/`. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toPage } from './page.ts'

export const repository = fileURLToPath(new URL('../../../', import.meta.url))

export type SourcePage = {
  /** Path of the Markdown file, relative to the repository. */
  readonly path: string
  readonly id: string
  readonly title: string
  readonly description: string
  /** Markdown without the first heading, with links for the site. */
  readonly body: string
}

const folders = ['guides', 'operations', 'reference', 'security', 'tutorials']

/** Published at another place than their path says. */
const renamed: Readonly<Record<string, string>> = {
  'README.md': 'quickstart',
  'docs/operations/README.md': 'operations',
}

/** Files that links lead to, but that are not read from Markdown. */
const elsewhere: Readonly<Record<string, string>> = {
  // The pages of the API reference replace the table.
  'docs/reference/operations.md': '/docs/reference/api/',
  'docs/reference/openapi.json': '/docs/openapi.json',
}

export function sourcePages(): SourcePage[] {
  const paths = globSync(`docs/{${folders.join()}}/*.md`, { cwd: repository }).filter((path) => !(path in elsewhere))
  const ids = new Map(['README.md', ...paths].map((path) => [path, idOf(path)]))
  const urlOf = (path: string) => {
    const id = ids.get(path)
    return id === undefined ? elsewhere[path] : `/docs/${id}/`
  }
  return [...ids].map(([path, id]) => ({
    path,
    id,
    ...toPage(path, readFileSync(join(repository, path), 'utf8'), urlOf),
  }))
}

const idOf = (path: string) => renamed[path] ?? path.replace(/^docs\//, '').replace(/\.md$/, '')
