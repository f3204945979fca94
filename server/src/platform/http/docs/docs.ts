import { type ErrorCode, errorCatalogue, operations, toOpenApi } from '@reelkeep/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../../kernel/errors.ts'
import { openStaticFiles, type StaticFile, sendStaticFile } from '../responses/static-files.ts'
import { errorPage, notBuiltPage } from './plain-pages.ts'

type DocsOptions = { readonly url: string; readonly version: string; readonly folder: string }

/**
 * The documentation site at `/docs/`, the OpenAPI document of this service, and a page per error code, to which error
 * responses link. If the site is not built, the error pages are plain ones.
 */
export function registerDocs(http: FastifyInstance, { url, version, folder }: DocsOptions): void {
  const files = openStaticFiles(folder, '_astro')
  const openApi = JSON.stringify(toOpenApi(operations, { url, version }))
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

const sendFile = (file: StaticFile, request: FastifyRequest, reply: FastifyReply) =>
  sendStaticFile(file, SITE_POLICY, request, reply)

const sendPlain = (reply: FastifyReply, page: string) =>
  reply.header('Content-Type', 'text/html; charset=utf-8').send(page)
