/** Pages that need no built site. */
import { type ErrorCode, errorCatalogue } from '@reelkeep/contract'

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Reelkeep</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}code{font-size:1em}</style>
${body}
</html>
`

export function errorPage(code: ErrorCode): string {
  const { status, meaning } = errorCatalogue[code]
  return page(
    code,
    `<p><a href="/docs/">Reelkeep documentation</a>
<h1><code>${code}</code></h1>
<p>HTTP status ${status}.
<p>${escaped(meaning).replace(/`([^`]+)`/g, '<code>$1</code>')}`,
  )
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export const notBuiltPage = page(
  'Documentation',
  `<h1>The documentation is not built on this server</h1>
<p>Run <code>pnpm build</code> and restart the API. The <a href="/docs/openapi.json">OpenAPI document</a> is available
without it.`,
)
