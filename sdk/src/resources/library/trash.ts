import type { Caller, QueryOf } from '../../http/call.ts'
import { listOf } from '../../http/list.ts'
import type { UnkeyedOptions } from '../../http/settings.ts'

/** Deleted assets and folders that can be restored. */
export const trash = ({ call }: Caller) => ({
  /** Lists what was deleted, most recently deleted first. */
  list: (query: QueryOf<'listTrash'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listTrash', { query: { ...query, ...cursor } }, options)),
})
