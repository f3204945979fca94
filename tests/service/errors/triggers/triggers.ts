import type { Problem } from '@reelkeep/contract'
import type { ApiResponse, Caller, Superuser } from '@reelkeep/testkit'
import type { ErrorsOf, OperationId } from '../every-operation.ts'

/** A new organization, and a superuser connection for states that would take too long to create through the API. */
export type Fixture = { readonly caller: Caller; readonly superuser: Superuser }

type Trigger = (fixture: Fixture) => Promise<ApiResponse<Problem>>

/**
 * For every operation, a request for each of its own error codes that triggers the code. If a code is added to the
 * contract, the tests do not compile until the code has a trigger.
 */
export type ErrorTriggers = {
  [Id in OperationId]: { [Code in ErrorsOf<Id>]: Trigger }
}
