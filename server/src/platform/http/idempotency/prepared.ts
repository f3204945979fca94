import { DomainError } from '../../../kernel/errors.ts'
import type { OrganizationDb } from '../../db/database.ts'

/**
 * Work that was done before the transaction, such as requests to storage: a transaction that waits for another
 * service would block a database connection.
 */
export type Prepared<Response> = {
  /** Completes the work in the transaction, which also stores the response if the request has an idempotency key. */
  readonly commit: (db: OrganizationDb) => Promise<Response>
  /** Undoes the preparation on a best-effort basis; never throws. */
  readonly rollback: () => Promise<void>
}

/**
 * Rolls the preparation back after a `DomainError`, which means that nothing was written. Other errors may have
 * occurred after the commit, so the preparation stays.
 */
export async function rollBackOnDomainError<Response, Result>(
  { rollback }: Prepared<Response>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DomainError) await rollback()
    throw error
  }
}
