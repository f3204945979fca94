import type { Query } from '../../platform/db/statement.ts'
import type { Numbered } from '../events/events.ts'
import { fanOutQuery } from './fan-out.store.ts'

/** What happens when events get their numbers: each is to be told to every webhook that wants it, exactly once. */
export const fanOut = (numbered: Numbered): readonly Query<unknown>[] => [fanOutQuery(numbered)]
