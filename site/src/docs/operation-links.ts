import { operations, resources } from '../api/openapi.ts'
import type { SourcePage } from './pages.ts'

const urlOf = new Map(
  operations.map(({ id, slug, resource }) => {
    const page = resources.find(({ name }) => name === resource)?.slug
    return [id, `/docs/reference/api/${page}/#${slug}`]
  }),
)

/** Adds links to the API reference where a cell of a table has the id of an operation. */
export const withOperationLinks = (page: SourcePage): SourcePage => ({
  ...page,
  body: page.body.replace(/\| `(\w+)` \|$/gm, (whole, id: string) => {
    const url = urlOf.get(id)
    return url === undefined ? whole : `| [\`${id}\`](${url}) |`
  }),
})
