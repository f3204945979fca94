/**
 * Why there was no response, as shown to the owner of the webhook. The texts contain no address: our name servers
 * may reveal internal ones.
 */

const NOT_COMPLETE = 'The connection was closed before the response was complete.'
const NOT_FOUND = 'The host name could not be resolved.'
const NOT_REACHED = 'The host cannot be reached.'

const reasons: Readonly<Record<string, string>> = {
  FORBIDDEN_ADDRESS: 'The URL points to a network that webhooks must not access.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: NOT_COMPLETE,
  EPIPE: NOT_COMPLETE,
  ERR_STREAM_PREMATURE_CLOSE: NOT_COMPLETE,
  UND_ERR_SOCKET: NOT_COMPLETE,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: NOT_COMPLETE,
  ENOTFOUND: NOT_FOUND,
  ENODATA: NOT_FOUND,
  EAI_AGAIN: NOT_FOUND,
  ETIMEOUT: 'The DNS query for the host timed out.',
  EHOSTUNREACH: NOT_REACHED,
  ENETUNREACH: NOT_REACHED,
  UND_ERR_CONNECT_TIMEOUT: NOT_REACHED,
  ETIMEDOUT: NOT_REACHED,
}

/** Codes of Node and OpenSSL for certificate and TLS errors. */
const aboutEncryption = /CERT|TLS|SSL|^EPROTO$|^UNABLE_TO/

/** Codes of undici for an unparsable response. */
const notHttp = /^(HPE_|HTTPParserError)/

export function reasonOf(code: string): string {
  const reason = reasons[code]
  if (reason) return reason
  if (aboutEncryption.test(code)) return `TLS failed: ${code}.`
  if (notHttp.test(code)) return 'The response is not HTTP.'
  return `The request failed: ${code}.`
}

export const tooLate = (secondsMax: number) => `There was no response within ${secondsMax} seconds.`
