/** What Node says when a connection could not be made, or broke. */
const connectionFaults = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** Whether the other side could not be reached, so that the same may work a little later. */
export const isConnectionFault = (error: Error): boolean =>
  'code' in error && connectionFaults.has(String(error.code))
