/**
 * Requests with a cookie from other sites. Browsers send `Sec-Fetch-Site` and `Origin`, which scripts cannot change. A
 * request that changes something is refused unless both confirm that it comes from our own pages; a client that sends
 * neither must use a token.
 */
import type { FastifyRequest } from 'fastify'
import { refused } from '../../../kernel/errors.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export function assertSameOrigin({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>, ours: string): void {
  if (safeMethods.has(method)) return
  const { origin, 'sec-fetch-site': site } = headers
  const isOurs = site === undefined ? origin === ours : site === 'same-origin' && (origin ?? ours) === ours
  if (isOurs) return
  throw refused(
    'cross_site_request',
    'A session can only be used by the pages of this service. Use an API token for requests from other places.',
  )
}
