import type { Problem } from '@reelkeep/contract'
import type { ApiResponse, Caller, Superuser } from '@reelkeep/testkit'
import type { ErrorsOf, OperationId } from '../every-operation.ts'

/** A new organization, and a superuser connection for states that would take too long to create through the API. */
export type Fixture = { readonly caller: Caller; readonly superuser: Superuser }

type Trigger = (fixture: Fixture) => Promise<ApiResponse<Problem>>

/**
 * For every operation and every code of its own, a request that triggers it. A code added to the contract does not
 * compile until it has a trigger.
 */
export type ErrorTriggers = {
  [Id in OperationId]: { [Code in ErrorsOf<Id>]: Trigger }
}
