/** Node error codes for a connection that could not be opened or broke. */
const connectionErrorCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** Whether the peer could not be reached, so that a retry may succeed. */
export const isConnectionError = (error: Error): boolean =>
  'code' in error && connectionErrorCodes.has(String(error.code))
