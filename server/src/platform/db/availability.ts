import pg from 'pg'
import { isConnectionFault } from '../../kernel/connection-faults.ts'

/**
 * SQLSTATE classes and codes that speak of the server's state, not of the statement: connection lost (08), log
 * in refused (28), no such database (3D), out of resources (53), shut down or starting (57P), a
 * statement that took too long (57014), and one that was given up because it and another waited for each other (40P01).
 */
const awayStates = /^(08|28|3D|53|57P|57014|40P01)/

const awayMessages =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|not queryable/

/** Whether the database is away or overloaded, so that the same request may work a little later. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return awayStates.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  return isConnectionFault(error) || awayMessages.test(error.message)
}
