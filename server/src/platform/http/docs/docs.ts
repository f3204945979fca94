import { type ErrorCode, errorCatalogue, operations, toOpenApi } from '@reelkeep/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../../kernel/errors.ts'
import { acceptsEncoding } from '../responses/accepted-encoding.ts'
import { type DocFile, openDocFiles } from './doc-files.ts'
import { errorPage, notBuiltPage } from './plain-pages.ts'

type DocsOptions = { readonly url: string; readonly version: string; readonly folder: string }

/**
 * The documentation site at `/docs/`, to which `/` redirects browsers, the OpenAPI document of this service, and a page
 * per error code, to which error responses link. If the site is not built, the error pages are plain ones.
 */
export function registerDocs(http: FastifyInstance, { url, version, folder }: DocsOptions): void {
  const files = openDocFiles(folder)
  const openApi = JSON.stringify(toOpenApi(operations, { url, version }))
  http.get('/', (request, reply) => {
    reply.header('Vary', 'Accept')
    return request.headers.accept?.includes('text/html') ? reply.redirect('/docs/', 302) : reply.callNotFound()
  })
  http.get('/docs/openapi.json', (_, reply) =>
    reply.header('Content-Type', 'application/json; charset=utf-8').send(openApi),
  )
  http.get<{ Params: { code: string } }>('/docs/errors/:code/', async (request, reply) => {
    const { code } = request.params
    if (!isErrorCode(code)) throw refused('not_found', 'This error code does not exist.')
    const file = await files.find(`errors/${code}`)
    return file ? sendFile(file, request, reply) : sendPlain(reply, errorPage(code))
  })
  http.get('/docs/', async (request, reply) => {
    const file = await files.find('')
    return file ? sendFile(file, request, reply) : sendPlain(reply, notBuiltPage)
  })
  http.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const file = await files.find(request.params['*'])
    if (file) return sendFile(file, request, reply)
    const missing = await files.find('404.html')
    if (!missing) throw refused('not_found', 'This page does not exist. The documentation starts at /docs/.')
    return sendFile(missing, request, reply.status(404))
  })
}

const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errorCatalogue, text)

/**
 * The site loads nothing from other origins. Code samples are colored by style attributes; the search compiles
 * WebAssembly.
 */
const SITE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const CACHE_FOREVER = 'public, max-age=31536000, immutable'
/** Browsers revalidate the file on every request, so that a page never uses files of another version. */
const REVALIDATE = 'no-cache'

function sendFile(file: DocFile, request: FastifyRequest, reply: FastifyReply) {
  reply
    .header('Content-Security-Policy', SITE_POLICY)
    .header('Cache-Control', file.isImmutable ? CACHE_FOREVER : REVALIDATE)
    .header('Vary', 'Accept-Encoding')
    .header('ETag', file.etag)
  if (reply.statusCode === 200 && request.headers['if-none-match'] === file.etag) return reply.status(304).send()
  reply.header('Content-Type', file.contentType)
  if (file.gzip && acceptsEncoding(request, 'gzip')) {
    return reply.header('Content-Encoding', 'gzip').send(file.gzip)
  }
  return reply.send(file.plain)
}

const sendPlain = (reply: FastifyReply, page: string) =>
  reply.header('Content-Type', 'text/html; charset=utf-8').send(page)
