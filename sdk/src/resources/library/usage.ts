import type { Caller, QueryOf } from '../../http/call.ts'
import type { UnkeyedOptions } from '../../http/settings.ts'

/** The organization's storage, encoding and delivery. */
export const usage = ({ call }: Caller) => ({
  /** Returns the usage by day or month, and the quotas. */
  read: (query: QueryOf<'readUsage'> = {}, options?: UnkeyedOptions) => call('readUsage', { query }, options),
})
