/** Somebody who was let in, and how they asked. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { secondsLeft, type Viewer } from '../access-tokens/access-tokens.ts'

export type Visitor = {
  readonly viewer: Viewer
  /** Bound to the organization whose video it is. */
  readonly db: OrganizationDb
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Null of who needs no pass. */
export const leftOf = ({ viewer }: Pick<Visitor, 'viewer'>) =>
  secondsLeft(viewer, Date.now() / 1000)

/** Sends it whole, or only what would be said of it. */
export const sendText = ({ request, reply }: Visitor, text: Buffer) => {
  reply.header('Content-Length', text.length)
  return request.method === 'HEAD' ? reply.send() : reply.send(text)
}

/** Whether a proxy has weakened them on the way does not matter here. */
export const knownEtagsOf = ({ headers }: FastifyRequest): string[] =>
  headers['if-none-match']?.match(/"[^"]{1,128}"/g) ?? []
