import type { FastifyInstance } from 'fastify'

const LIFETIME_DAYS = 180

type SecurityTxt = { readonly contact: string | undefined; readonly publicUrl: string }

/** `/.well-known/security.txt` (RFC 9116): how to report a vulnerability of this installation, if configured. */
export function registerSecurityTxt(http: FastifyInstance, { contact, publicUrl }: SecurityTxt): void {
  if (contact === undefined) return
  const path = '/.well-known/security.txt'
  http.get(path, (_, reply) => {
    // The settings of a running service are current, so the expiry moves with the time.
    const expires = new Date(Date.now() + LIFETIME_DAYS * 86_400_000).toISOString()
    return reply
      .type('text/plain; charset=utf-8')
      .send(`Contact: ${contact}\nExpires: ${expires}\nCanonical: ${publicUrl}${path}\nPreferred-Languages: en\n`)
  })
}
