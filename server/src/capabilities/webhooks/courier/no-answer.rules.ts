/**
 * Why there was no answer, in words for who owns the webhook. They name no address: our name
 * servers may know what the caller must not.
 */

const NOT_COMPLETE = 'The connection was closed before the answer was complete.'
const NOT_FOUND = 'The name of the host was not found.'
const NOT_REACHED = 'The host cannot be reached.'

const reasons: Readonly<Record<string, string>> = {
  FORBIDDEN_ADDRESS: 'The address leads into a network that webhooks must not lead into.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: NOT_COMPLETE,
  EPIPE: NOT_COMPLETE,
  ERR_STREAM_PREMATURE_CLOSE: NOT_COMPLETE,
  UND_ERR_SOCKET: NOT_COMPLETE,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: NOT_COMPLETE,
  ENOTFOUND: NOT_FOUND,
  ENODATA: NOT_FOUND,
  EAI_AGAIN: NOT_FOUND,
  ETIMEOUT: 'The name servers of the host did not answer.',
  EHOSTUNREACH: NOT_REACHED,
  ENETUNREACH: NOT_REACHED,
  UND_ERR_CONNECT_TIMEOUT: NOT_REACHED,
  ETIMEDOUT: NOT_REACHED,
}

/** As Node and OpenSSL name what is wrong with a certificate or with the encryption. */
const aboutEncryption = /CERT|TLS|SSL|^EPROTO$|^UNABLE_TO/

/** As undici names what its parser cannot read. */
const notHttp = /^(HPE_|HTTPParserError)/

export function reasonOf(code: string): string {
  const reason = reasons[code]
  if (reason) return reason
  if (aboutEncryption.test(code)) return `The encryption failed: ${code}.`
  if (notHttp.test(code)) return 'The answer is not HTTP.'
  return `The request failed: ${code}.`
}

export const tooLate = (secondsMax: number) => `There was no answer within ${secondsMax} seconds.`
