/**
 * Makes the job engine repeat a write that Postgres refused for a moment, such as by a statement timeout. The engine
 * does so only after a lost connection; a job whose result could not be recorded at once would count as failed.
 */
import pg from 'pg'
import { isRetryable } from '../errors/availability.ts'

/** Deletions of old jobs are not repeated: the schedule that makes them runs again. */
const write = /^\s*(insert|update|commit)\b/i

type Query = (...given: readonly unknown[]) => unknown

/** The cause of an error that the engine is to treat like a lost connection. It recognizes the start of the message. */
class StatementRefused extends Error {
  constructor({ code, message }: pg.DatabaseError) {
    super(`Connection timeout: Postgres refused the statement with ${code}: ${message}`)
  }
}

export function repeatWrites(client: pg.ClientBase): void {
  const query: Query = client.query.bind(client)
  const wrapped: Query = (...given) => {
    const [text] = given
    const result = query(...given)
    if (!(result instanceof Promise) || typeof text !== 'string' || !write.test(text)) return result
    return result.catch((error: unknown) => {
      if (error instanceof pg.DatabaseError && isRetryable(error)) error.cause = new StatementRefused(error)
      throw error
    })
  }
  Object.assign(client, { query: wrapped })
}
