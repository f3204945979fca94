import type { FastifyRequest } from 'fastify'

/** Whether the client accepts the content encoding. A quality of 0 means that it does not. */
export function acceptsEncoding({ headers }: Pick<FastifyRequest, 'headers'>, encoding: 'br' | 'gzip'): boolean {
  return String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((accepted) => {
      const [name, quality = 'q=1'] = accepted.split(';').map((part) => part.trim().toLowerCase())
      return name === encoding && Number(quality.replace('q=', '')) > 0
    })
}
