import pg from 'pg'
import { isConnectionError } from '../../../kernel/connection-errors.ts'

/**
 * SQLSTATE classes and codes caused by the server's state, not by the statement: connection lost (08), login
 * refused (28), no such database (3D), out of resources (53), shutting down or starting (57P), statement
 * timeout (57014), deadlock (40P01).
 */
const unavailableStates = /^(08|28|3D|53|57P|57014|40P01)/

const unavailableMessages =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|not queryable/

/** Whether the database is unreachable or overloaded, so that a retry may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return unavailableStates.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  return isConnectionError(error) || unavailableMessages.test(error.message)
}
