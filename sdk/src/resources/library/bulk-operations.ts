import type { BulkOperation, BulkPreview } from '../../generated/contract.ts'
import type { BodyOf, Caller, QueryOf } from '../../http/call.ts'
import { WaitTimeoutError } from '../../http/errors.ts'
import { firstNumber } from '../../http/first-number.ts'
import { listOf } from '../../http/list.ts'
import { atLeastRetryAfter, isTemporary, pause } from '../../http/retry.ts'
import type { CallOptions, UnkeyedOptions } from '../../http/settings.ts'

/** The poll interval grows from the first to the second. */
const POLL_SECONDS_FIRST = 0.5
const POLL_SECONDS_MAX = 5
/** How often in a row the service may be unavailable before the wait fails. */
const FAILED_POLLS_MAX = 60
/** Default timeout. */
const WAIT_SECONDS_MAX = 24 * 3600

export type BulkWaitOptions = {
  readonly signal?: AbortSignal | undefined
  /** Total time before a WaitTimeoutError is thrown (default: one day). */
  readonly timeoutSeconds?: number | undefined
  /** Called with the operation whenever it was read. */
  readonly onProgress?: ((operation: BulkOperation) => void) | undefined
}

type NewOperation = Omit<BodyOf<'createBulkOperation'>, 'dry_run'>

/** Changes of many assets that run in the background. */
export const bulkOperations = (caller: Caller) => ({
  /** Starts an operation on the assets in `ids`, or on all that match `filter` now. */
  create: (body: NewOperation, options?: CallOptions) =>
    caller.call('createBulkOperation', { body }, options) as Promise<BulkOperation>,

  /** Returns the number of assets that an operation would select, and a sample. Nothing is changed. */
  preview: (body: NewOperation, options?: UnkeyedOptions) => preview(caller, body, options),

  /** Lists operations, newest first. */
  list: (query: QueryOf<'listBulkOperations'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => caller.call('listBulkOperations', { query: { ...query, ...cursor } }, options)),

  read: (id: string, options?: UnkeyedOptions) =>
    caller.call('readBulkOperation', { params: { bulk_operation_id: id } }, options),

  /** Ends the operation. Assets that it has changed stay changed. */
  cancel: (id: string, options?: UnkeyedOptions) =>
    caller.call('cancelBulkOperation', { params: { bulk_operation_id: id } }, options),

  /** Waits until the operation has ended, and returns it with its `status`, `progress` and `errors`. */
  waitUntilFinished: (id: string, options?: BulkWaitOptions) => waitUntilFinished(caller, id, options),
})

const preview = ({ call }: Caller, body: NewOperation, options?: UnkeyedOptions) =>
  call('createBulkOperation', { body: { ...body, dry_run: true } }, options) as Promise<BulkPreview>

async function waitUntilFinished(
  { call }: Caller,
  id: string,
  { signal, timeoutSeconds, onProgress }: BulkWaitOptions = {},
): Promise<BulkOperation> {
  const seconds = firstNumber(timeoutSeconds) ?? WAIT_SECONDS_MAX
  const deadlineMs = Date.now() + seconds * 1000
  for (let polls = 0, failures = 0; ; polls++) {
    let delay = Math.min(POLL_SECONDS_FIRST * 1.5 ** polls, POLL_SECONDS_MAX)
    try {
      const operation = await call('readBulkOperation', { params: { bulk_operation_id: id } }, { signal })
      onProgress?.(operation)
      if (operation.finished_at !== null) return operation
      failures = 0
    } catch (error) {
      signal?.throwIfAborted()
      if (!isTemporary(error) || ++failures > FAILED_POLLS_MAX) throw error
      delay = atLeastRetryAfter(delay, error)
    }
    if (Date.now() + delay * 1000 > deadlineMs)
      throw new WaitTimeoutError(`Bulk operation ${id} did not end within ${seconds} seconds.`)
    await pause(delay, signal)
  }
}
