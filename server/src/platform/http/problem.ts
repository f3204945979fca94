import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, errorCatalogue, type Problem } from '@reelkeep/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, notNow, refused } from '../../kernel/errors.ts'
import { isDatabaseAway } from '../db/availability.ts'
import { beingMoved, isHeld } from '../db/held.ts'
import { isStorageAway } from '../storage/availability.ts'
import { requestLog } from './request-log.ts'

/** The single place where failures become HTTP. */
export function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  docsUrl: string,
) {
  const known = asDomainError(error)
  const { status } = errorCatalogue[known.code]
  request.problemCode = known.code
  // What we log and what we say are two sentences: the cause stays here.
  if (status >= 500) logFailure(error, request, reply)
  if (status === 401) reply.header('WWW-Authenticate', 'token')
  if (known.retryAfterSeconds) reply.header('Retry-After', String(known.retryAfterSeconds))
  forgetAnswer(reply)
  return reply
    .status(status)
    .header('X-Request-Id', request.id)
    .header('Content-Type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(toProblem(known, request.id, docsUrl)))
}

/** Of a caller who has hung up, what was cut off because of it fails as well: that is not our failure. */
function logFailure(err: unknown, request: FastifyRequest, { raw }: FastifyReply): void {
  if (raw.destroyed) requestLog(request).info({ err }, 'the caller hung up')
  else requestLog(request).error({ err }, 'request failed')
}

/**
 * What was said of an answer that has failed before its first byte. Kept by a cache, the failure
 * would be the answer for as long as that.
 */
const ofTheAnswer = ['cache-control', 'etag', 'accept-ranges', 'content-range']

function forgetAnswer(reply: FastifyReply): void {
  for (const name of ofTheAnswer) {
    reply.removeHeader(name)
    if (!reply.raw.headersSent) reply.raw.removeHeader(name)
  }
  reply.header('Cache-Control', 'no-store')
}

/** What Node's parser finds before there is a request. */
const parserFaults: Record<string, readonly [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers are larger than this API reads.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long to arrive.'],
}

/** Answers something that is not HTTP, or too much of it, and hangs up. */
export function hangUp(error: NodeJS.ErrnoException, socket: Socket, docsUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const fault = parserFaults[error.code ?? ''] ?? ['invalid_request', 'This is not HTTP.']
  const problem = toProblem(refused(...fault), randomUUID(), docsUrl)
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
    errors: error.faults.map(({ field = '', code, detail }) => ({ field, code, detail })),
    request_id: requestId,
  }
}

function asDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error
  if (isHeld(error)) return beingMoved()
  // Before the database, whose connections break with the same codes.
  if (isStorageAway(error)) {
    return notNow('unavailable', 'Storage is away at the moment. Please repeat the request.', 5)
  }
  if (isDatabaseAway(error)) {
    return notNow(
      'unavailable',
      'The database is away at the moment. Please repeat the request.',
      2,
    )
  }
  return (
    fromFastify(error) ??
    refused(
      'internal_error',
      'Something went wrong on our side. Quote the request_id to the operator.',
    )
  )
}

/** Faults that the HTTP layer itself finds, before any of our code has seen the request. */
const fastifyFaults: Record<string, readonly [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'body_too_large',
    'The body is larger than this operation reads. Send less in one request.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send the body as JSON, with Content-Type: application/json.',
  ],
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed_json', 'The body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'The body is shorter or longer than its Content-Length says.',
  ],
}

function fromFastify(error: unknown): DomainError | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  const fault = fastifyFaults[code]
  if (fault) return refused(...fault)
  const status = 'statusCode' in error ? Number(error.statusCode) : 500
  if (error instanceof SyntaxError && status === 400) {
    return refused('malformed_json', 'The body is not valid JSON.')
  }
  if (status >= 400 && status < 500) {
    return refused('invalid_request', 'The request cannot be read. Check it against the reference.')
  }
  return undefined
}
