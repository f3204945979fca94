import { type ErrorCode, errorCatalogue, operations, toOpenApi } from '@reelkeep/contract'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { refused } from '../../kernel/errors.ts'

/** The API reference at `/docs/`, its OpenAPI document, and a page per error code. */
export async function registerDocs(http: FastifyInstance, server: { url: string; version: string }) {
  const openApi = JSON.stringify(toOpenApi(operations, server))
  http.get('/docs/openapi.json', (_, reply) =>
    reply.header('Content-Type', 'application/json; charset=utf-8').send(openApi),
  )
  http.get<{ Params: { code: string } }>('/docs/errors/:code/', (request, reply) => {
    const { code } = request.params
    if (!isErrorCode(code)) throw refused('not_found', 'This error code does not exist.')
    return reply.header('Content-Type', 'text/html; charset=utf-8').send(errorPage(code))
  })
  await http.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      title: 'Reelkeep API reference',
      url: '/docs/openapi.json',
      // The API reference loads nothing from other origins.
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      mcp: { disabled: true },
      agent: { disabled: true },
    },
  })
}

const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errorCatalogue, text)

function errorPage(code: ErrorCode): string {
  const { status, meaning } = errorCatalogue[code]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${code} · Reelkeep</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}code{font-size:1em}</style>
<p><a href="/docs/">Reelkeep API reference</a>
<h1><code>${code}</code></h1>
<p>HTTP status ${status}.
<p>${meaning.replace(/`([^`<]+)`/g, (_, text: string) => `<code>${text.replace('<', '&lt;')}</code>`)}
</html>
`
}
