/** Triggers enforce legal holds (`refuse_legal_hold()` of the migrations), so that no deletion can skip them. */
import pg from 'pg'
import { type DomainError, refused } from '../../kernel/errors.ts'

/** SQLSTATE that the triggers raise. */
const ON_HOLD_SQLSTATE = 'RK002'

/** The error for the client if a statement was rejected because of a legal hold; otherwise undefined. */
export function legalHoldError(error: unknown): DomainError | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== ON_HOLD_SQLSTATE) return undefined
  const { message } = error
  return refused('legal_hold', `${message.charAt(0).toUpperCase()}${message.slice(1)}. Lift the hold first.`)
}
