import { DomainError } from '../../kernel/errors.ts'
import type { OrganizationDb } from '../db/database.ts'

/**
 * What an operation has done before its transaction. Whoever asks storage, or anybody else, does so
 * here: a transaction that waits for them keeps a connection from everybody.
 */
export type Prepared<Answer> = {
  /** The rest, in the transaction that saves the answer if the request bears a key. */
  readonly finish: (db: OrganizationDb) => Promise<Answer>
  /** Undoes it as well as that goes, and never throws. */
  readonly discard: () => Promise<void>
}

/**
 * A refusal means that nothing was written, so what was prepared is of no use. Whatever else goes
 * wrong may have done so after the commit: then it stays.
 */
export async function finishing<Answer, Result>(
  { discard }: Prepared<Answer>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DomainError) await discard()
    throw error
  }
}
