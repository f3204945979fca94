/** A page per error code. The `type` of an error response is the URL of this page. */
import type { SourcePage } from './pages.ts'

const errorRow = /^\| (\d{3}) \| `(\w+)` \| (.+) \|$/gm

/** Reads the codes from the table of the reference, which is generated from the contract. */
export function errorPages(reference: SourcePage): SourcePage[] {
  return [...reference.body.matchAll(errorRow)].map(([, status, code = '', meaning = '']) => ({
    path: reference.path,
    id: `errors/${code}`,
    title: code,
    description: meaning.replaceAll('`', ''),
    body: `HTTP status ${status}.\n\n${meaning}\n\n- [All error codes](/docs/${reference.id}/)\n- [How errors are reported](/docs/guides/api/#errors)\n`,
  }))
}

/** Adds links to the pages of the codes. */
export const withErrorLinks = (page: SourcePage): SourcePage => ({
  ...page,
  body: page.body.replace(
    errorRow,
    (_, status, code, meaning) => `| ${status} | [\`${code}\`](/docs/errors/${code}/) | ${meaning} |`,
  ),
})
