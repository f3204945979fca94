/**
 * Makes the job engine repeat statements that failed only for a moment. The engine does so after a lost connection, but
 * a job whose result could not be recorded for another reason counts as failed.
 */
import pg from 'pg'
import { isConnectionLost, isDatabaseUnavailable, ServerLost } from '../errors/availability.ts'
import type { PrimaryClient } from './primary-client.ts'

/** Deletions of old jobs are not repeated: the schedule that makes them runs again. */
const write = /^\s*(begin|insert|update|commit)\b/i

type Query = (...given: readonly unknown[]) => unknown

/** The cause of an error that the engine is to treat like a lost connection. It recognizes the start of the message. */
class StatementRefused extends Error {
  constructor({ code, message }: pg.DatabaseError) {
    super(`Connection timeout: Postgres refused the statement with ${code}: ${message}`)
  }
}

export function repeatWrites(client: PrimaryClient): void {
  const query: Query = client.query.bind(client)
  const wrapped: Query = (...given) => {
    const statement = String(given[0])
    const callback = given.at(-1)
    if (typeof callback === 'function') {
      return query(...given.slice(0, -1), (error: unknown, result: unknown) => {
        explain(client, statement, error)
        callback(error, result)
      })
    }
    return (query(...given) as Promise<unknown>).catch((error: unknown) => {
      explain(client, statement, error)
      throw error
    })
  }
  Object.assign(client, { query: wrapped })
}

/** Adds the cause that makes the engine repeat the statement. */
function explain(client: PrimaryClient, statement: string, error: unknown): void {
  if (!(error instanceof Error) || !isDatabaseUnavailable(error)) return
  if (!(error instanceof pg.DatabaseError)) {
    // Without a response in time, the connection cannot be used again, and the statement may have taken effect or not.
    error.cause ??= new ServerLost(error.message)
    client.abandon(error.message)
  } else if (!isConnectionLost(error) && write.test(statement)) {
    error.cause = new StatementRefused(error)
  }
}
