/** Explains failed requests to URLs that users have entered. */

const CLOSED_EARLY = 'The connection was closed before the response was complete.'
const NOT_RESOLVED = 'The host name could not be resolved.'
const NOT_REACHED = 'The host cannot be reached.'

const reasonsByCode: Readonly<Record<string, string>> = {
  FORBIDDEN_ADDRESS: 'The URL points to a network or port that is not allowed.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: CLOSED_EARLY,
  EPIPE: CLOSED_EARLY,
  ERR_STREAM_PREMATURE_CLOSE: CLOSED_EARLY,
  UND_ERR_SOCKET: CLOSED_EARLY,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED_EARLY,
  ENOTFOUND: NOT_RESOLVED,
  ENODATA: NOT_RESOLVED,
  EAI_AGAIN: NOT_RESOLVED,
  ETIMEOUT: 'The DNS query for the host timed out.',
  EHOSTUNREACH: NOT_REACHED,
  ENETUNREACH: NOT_REACHED,
  UND_ERR_CONNECT_TIMEOUT: NOT_REACHED,
  ETIMEDOUT: NOT_REACHED,
}

/** Codes of Node and OpenSSL for certificate and TLS errors. */
const tlsCodes = /CERT|TLS|SSL|^EPROTO$|^UNABLE_TO/

/** Codes of undici for an unparsable response. */
const parserCodes = /^(HPE_|HTTPParserError)/

/**
 * Returns why a request got no response. The texts contain no IP address, because our name servers may resolve names to
 * internal addresses.
 */
export function requestErrorReason(error: unknown): string {
  const code = codeOf(error)
  const reason = reasonsByCode[code]
  if (reason) return reason
  if (tlsCodes.test(code)) return `TLS failed: ${code}.`
  if (parserCodes.test(code)) return 'The response is not HTTP.'
  return `The request failed: ${code}.`
}

export const timeoutReason = (seconds: number) => `There was no response within ${seconds} seconds.`

/** Connection attempts to several addresses of a host fail together; the first error counts. */
function codeOf(error: unknown): string {
  const { code, cause, errors } = error as {
    code?: unknown
    cause?: unknown
    errors?: readonly unknown[]
  }
  if (typeof code === 'string') return code
  if (cause ?? errors?.[0]) return codeOf(cause ?? errors?.[0])
  return error instanceof Error ? error.name : 'unknown'
}
