import * as folders from './folders.ts'
import * as tokens from './tokens.ts'

/** The whole API. Its order is that of the reference. */
export const operations = [...folders.operations, ...tokens.operations] as const
