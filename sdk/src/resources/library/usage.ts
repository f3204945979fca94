import type { Caller, QueryOf } from '../../http/call.ts'
import type { UnkeyedOptions } from '../../http/settings.ts'

/** What the organization stores, encodes and delivers. */
export const usage = ({ call }: Caller) => ({
  /** Returns the usage by day or month, and the quotas. */
  read: (query: QueryOf<'readUsage'> = {}, options?: UnkeyedOptions) => call('readUsage', { query }, options),
})
