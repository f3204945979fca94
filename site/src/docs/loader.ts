/** Loads the Markdown of docs/, which has no front matter, as the pages of the site. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Loader, LoaderContext } from 'astro/loaders'
import { errorPages, withErrorLinks } from './error-pages.ts'
import { withOperationLinks } from './operation-links.ts'
import { repository, type SourcePage, sourcePages } from './pages.ts'
import { accessibleTables } from './tables.ts'

const ERRORS = 'reference/errors'
const SDK = 'reference/sdk'

export const docsFolder = (): Loader => ({
  name: 'docs-folder',
  load: async (context) => {
    await loadAll(context)
    const docs = join(repository, 'docs')
    context.watcher?.add(docs)
    context.watcher?.on('change', (path) => {
      if (path.startsWith(docs)) void loadAll(context)
    })
  },
})

async function loadAll(context: LoaderContext): Promise<void> {
  const pages = sourcePages().flatMap((page) => {
    if (page.id === ERRORS) return [withErrorLinks(page), ...errorPages(page)]
    return [page.id === SDK ? withOperationLinks(page) : page]
  })
  context.store.clear()
  for (const page of pages) await load(context, page)
}

async function load({ store, parseData, renderMarkdown }: LoaderContext, page: SourcePage): Promise<void> {
  const { id, title, description, body, path } = page
  const data = await parseData({ id, data: { title, description, editUrl: false } })
  // The README counts as a file of docs/, because only such files get headings with links.
  const fileURL = pathToFileURL(join(repository, 'docs', `${id}.md`))
  const rendered = await renderMarkdown(body, { fileURL })
  store.set({
    id,
    data,
    body,
    filePath: `../${path}`,
    rendered: { ...rendered, html: accessibleTables(rendered.html) },
  })
}
