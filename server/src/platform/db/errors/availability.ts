import pg from 'pg'
import { isConnectionError } from '../../../kernel/connection-errors.ts'

/** SQLSTATE of a write to a server that is a standby, or was made read-only. */
export const READ_ONLY = '25006'

/**
 * SQLSTATE classes and codes of a server that cannot be used: connection lost (08), login refused (28), no such
 * database (3D), shutting down or starting (57P), read-only server (25006).
 */
const unusableStates = /^(08|28|3D|57P|25006)/

/**
 * SQLSTATE classes and codes of a server that responds, but could not run this statement now: out of resources (53),
 * statement timeout (57014), deadlock (40P01), conflict with recovery or another transaction (40001), idle in a
 * transaction for too long (25P03), error of a disk (58030).
 */
const retryableStates = /^(53|57014|40P01|40001|25P03|58030)/

/** Whether the error response says that the server could not run this statement now. */
export const isRetryable = ({ code = '' }: pg.DatabaseError) => retryableStates.test(code)

/** SQLSTATE classes and codes after which the connection must not be used again. */
const lostStates = /^(08|57P|25006|25P03)/

const lostMessages = /timeout expired|Connection terminated|not queryable/

/** Also occur if all connections are in use, or if slow statements before this one use up its time. */
const timeoutMessages = /timeout exceeded when trying to connect|Query read timeout/

/**
 * The server cannot be used: it does not accept writes, or stopped responding. The job engine recognizes a lost
 * connection, which it retries, by the start of the message.
 */
export class ServerLost extends Error {
  constructor(reason: string) {
    super(`Connection terminated unexpectedly: ${reason}`)
  }
}

/** Whether the database cannot be reached or used at all. Overload and timeouts of single statements do not count. */
export function isDatabaseLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return unusableStates.test(error.code ?? '')
  return error instanceof Error && (isConnectionError(error) || lostMessages.test(error.message))
}

/** Whether the database is unreachable or overloaded, so that a retry may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isDatabaseLost(error)) return true
  if (error instanceof pg.DatabaseError) return isRetryable(error)
  return error instanceof Error && timeoutMessages.test(error.message)
}

/**
 * Whether the connection must not be used after the error. After an error response the connection is usable; after a
 * timeout or a reset it is not. After a fatal error Postgres closes the connection, which is noticed later.
 */
export function isConnectionLost(error: Error): boolean {
  if (!(error instanceof pg.DatabaseError)) return true
  return error.severity === 'FATAL' || error.severity === 'PANIC' || lostStates.test(error.code ?? '')
}
