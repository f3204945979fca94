import { bulkOperations } from '@reelkeep/contract'
import { limitedCaller } from '../limited.ts'
import type { ErrorTriggers, Fixture } from '../triggers.ts'

const unknownId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'
const unknownFolder = '11111111111'

/** No worker runs, so the operations do not end. */
async function fillQueue({ caller }: Fixture) {
  const body = { action: 'retry', ids: [unknownId] }
  for (let open = 0; open < bulkOperations.OPEN_OPERATIONS_MAX; open++) await caller.post('bulk-operations/', body)
}

export const bulkOperationTriggers = {
  createBulkOperation: {
    target_folder_not_found: ({ caller }) =>
      caller.post('bulk-operations/', { action: 'move', ids: [unknownId], folder: unknownFolder }),
    outside_folder: async ({ caller }) =>
      (await limitedCaller(caller)).limited.post('bulk-operations/', {
        action: 'move',
        ids: [unknownId],
        folder: null,
      }),
    bulk_operation_limit_reached: async (fixture) => {
      await fillQueue(fixture)
      return fixture.caller.post('bulk-operations/', { action: 'retry', ids: [unknownId] })
    },
  },
  listBulkOperations: {
    invalid_cursor: ({ caller }) => caller.get('bulk-operations/?cursor=junk'),
  },
  readBulkOperation: {
    bulk_operation_not_found: ({ caller }) => caller.get(`bulk-operations/${unknownId}/`),
  },
  cancelBulkOperation: {
    bulk_operation_not_found: ({ caller }) => caller.post(`bulk-operations/${unknownId}/cancel/`),
  },
} satisfies Partial<ErrorTriggers>
