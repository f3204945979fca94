import pg from 'pg'

/**
 * SQLSTATE classes and codes that speak of the server's state, not of the statement: connection lost (08), log
 * in refused (28), no such database (3D), out of resources (53), shut down or starting (57P), and a
 * statement that took too long (57014).
 */
const awayStates = /^(08|28|3D|53|57P|57014)/

const awayErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const awayMessages =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|not queryable/

/** Whether the database is away or overloaded, so that the same request may work a little later. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return awayStates.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return awayErrors.has(code) || awayMessages.test(error.message)
}
