/**
 * A record of the change that a request or command makes, written in the transaction of the change: both take effect or
 * neither does. It is sent with the last message of the transaction, so it costs no round trip.
 */
import type { CreatedObject, Query } from './statement.ts'

export type ChangeRecord = {
  /**
   * Returns the query that writes the record if the transaction has changed something, and returns a row if it did.
   */
  readonly query: (created: CreatedObject | undefined) => Query<object>
  /** Set after the commit of the first transaction that changed something. Later ones are not recorded. */
  isWritten: boolean
}

/** Returns the query to send after these queries: none if they change nothing, or if the record is written. */
export function recordQueries(
  record: ChangeRecord | undefined,
  queries: readonly Query<unknown>[],
): readonly Query<object>[] {
  if (!record || record.isWritten || !queries.some(({ writes }) => writes)) return []
  return [record.query(queries.find(({ creates }) => creates)?.creates)]
}
