import type { Problem } from '@reelkeep/contract'
import type { Caller, Received, Superuser } from '@reelkeep/testkit'
import type { ErrorsOf, OperationId } from './every-operation.ts'

/** A fresh organization, and someone who can make in its tables what would take too long by the API. */
export type Stage = { readonly caller: Caller; readonly superuser: Superuser }

type Provocation = (stage: Stage) => Promise<Received<Problem>>

/**
 * For every operation and every code of its own, a request that is answered with it. A code that is added
 * to the contract does not compile until a request provokes it.
 */
export type Provocations = {
  [Id in OperationId]: { [Code in ErrorsOf<Id>]: Provocation }
}
