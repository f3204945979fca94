import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, errorCatalogue, type Problem } from '@reelkeep/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, refused, retryLater } from '../../kernel/errors.ts'
import { isDatabaseUnavailable } from '../db/errors/availability.ts'
import { legalHoldError } from '../db/legal-holds.ts'
import { outsideLimitsError } from '../db/limits.ts'
import { isSuspended, organizationBeingMoved } from '../db/suspension.ts'
import { isStorageUnavailable } from '../storage/availability.ts'
import { requestLog } from './instrumentation/request-log.ts'
import { REQUEST_TIMEOUT_SECONDS } from './limits.ts'

/** Converts every error to an HTTP response. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, docsUrl: string) {
  const known = asDomainError(error)
  const { status } = errorCatalogue[known.code]
  request.problemCode = known.code
  // The cause of a server error is logged and not sent to the client.
  if (status >= 500) logFailure(error, request, reply)
  if (status === 401 && !reply.hasHeader('WWW-Authenticate')) reply.header('WWW-Authenticate', 'token')
  if (known.retryAfterSeconds) reply.header('Retry-After', String(known.retryAfterSeconds))
  clearRepresentationHeaders(reply)
  return reply
    .status(status)
    .header('X-Request-Id', request.id)
    .header('Content-Type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(toProblem(known, request.id, docsUrl)))
}

/** If the client disconnected, the error is a consequence of that and not a failure of the service. */
function logFailure(err: unknown, request: FastifyRequest, { raw }: FastifyReply): void {
  if (raw.destroyed) requestLog(request).info({ err }, 'client disconnected')
  else requestLog(request).error({ err }, 'request failed')
}

/**
 * Headers of a response that failed before its first byte. They must not apply to the error response, or caches
 * would store it.
 */
const representationHeaders = ['cache-control', 'etag', 'accept-ranges', 'content-range']

function clearRepresentationHeaders(reply: FastifyReply): void {
  for (const name of representationHeaders) {
    reply.removeHeader(name)
    if (!reply.raw.headersSent) reply.raw.removeHeader(name)
  }
  reply.header('Cache-Control', 'no-store')
}

/** Errors of Node's HTTP parser. */
const parserErrors: Record<string, readonly [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request headers are too large. Send fewer or shorter headers.'],
  ERR_HTTP_REQUEST_TIMEOUT: [
    'request_timeout',
    `The request was not received within ${REQUEST_TIMEOUT_SECONDS} seconds. Retry it.`,
  ],
}

/** Responds to a request that cannot be parsed, and closes the connection. */
export function sendProtocolError(error: NodeJS.ErrnoException, socket: Socket, docsUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const known = parserErrors[error.code ?? ''] ?? ['invalid_request', 'The request is not valid HTTP.']
  const problem = toProblem(refused(...known), randomUUID(), docsUrl)
  const body = JSON.stringify(problem)
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nConnection: close\r\n` +
      `Content-Type: application/problem+json; charset=utf-8\r\n` +
      `X-Request-Id: ${problem.request_id}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function toProblem(error: DomainError, requestId: string, docsUrl: string): Problem {
  const { status } = errorCatalogue[error.code]
  return {
    type: `${docsUrl}/errors/${error.code}/`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: error.message,
    code: error.code,
    errors: error.violations.map(({ field = '', code, detail }) => ({ field, code, detail })),
    ...(error.quota && { quota: error.quota }),
    request_id: requestId,
  }
}

function asDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error
  if (isSuspended(error)) return organizationBeingMoved()
  const refusedByDatabase = legalHoldError(error) ?? outsideLimitsError(error)
  if (refusedByDatabase) return refusedByDatabase
  // Storage is checked before the database, because both have the same connection error codes.
  if (isStorageUnavailable(error)) {
    return retryLater('unavailable', 'Storage is temporarily unavailable. Retry in 5 seconds.', 5)
  }
  if (isDatabaseUnavailable(error)) {
    return retryLater('unavailable', 'The database is temporarily unavailable. Retry in 2 seconds.', 2)
  }
  return (
    fromFastify(error) ??
    refused('internal_error', 'An internal error occurred. Report the request_id to the operator.')
  )
}

const invalidJson = 'The body is not valid JSON. Check quotes, commas and encoding.'

/** Errors of Fastify, before our code runs. */
const fastifyErrors: Record<string, readonly [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The request body is too large. Send less in one request.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send the body as JSON, with Content-Type: application/json.',
  ],
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed_json', invalidJson],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'The body is shorter or longer than Content-Length. Send the exact length.',
  ],
}

function fromFastify(error: unknown): DomainError | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  const known = fastifyErrors[code]
  if (known) return refused(...known)
  const status = 'statusCode' in error ? Number(error.statusCode) : 500
  if (error instanceof SyntaxError && status === 400) {
    return refused('malformed_json', invalidJson)
  }
  if (status >= 400 && status < 500) {
    return refused('invalid_request', 'The request is malformed. See the API reference at /docs/.')
  }
  return undefined
}
