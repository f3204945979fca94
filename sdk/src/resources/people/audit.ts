import type { AuditEntry } from '../../generated/contract.ts'
import type { Caller, QueryOf } from '../../http/call.ts'
import { listOf } from '../../http/list.ts'
import type { UnkeyedOptions } from '../../http/settings.ts'

/** Maximum number of entries per request of an export. */
const ENTRIES_PER_REQUEST = 1_000_000

/** The audit log of the organization: who did what. */
export const audit = (caller: Caller) => ({
  /** Lists entries, newest first. */
  list: (query: QueryOf<'listAuditEntries'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => caller.call('listAuditEntries', { query: { ...query, ...cursor } }, options)),

  /** Reads entries in the order of their numbers, without gaps, so that their hashes can be verified. */
  export: (query: QueryOf<'exportAuditEntries'> = {}, options?: UnkeyedOptions) =>
    exportAuditEntries(caller, query, options),

  /** Returns the number and hash of the last entry. */
  readHead: (options?: UnkeyedOptions) => caller.call('readAuditHead', {}, options),
})

async function* exportAuditEntries(
  { open }: Caller,
  query: QueryOf<'exportAuditEntries'>,
  options: UnkeyedOptions | undefined,
): AsyncGenerator<AuditEntry, void, undefined> {
  let { after } = query
  for (let count = ENTRIES_PER_REQUEST; count === ENTRIES_PER_REQUEST; ) {
    const response = await open(
      'exportAuditEntries',
      { query: { ...query, ...(after !== undefined && { after }) } },
      options,
    )
    count = 0
    for await (const line of linesOf(response)) {
      const entry = JSON.parse(line) as AuditEntry
      yield entry
      after = entry.number
      count++
    }
  }
}

async function* linesOf({ body }: Response): AsyncGenerator<string, void, undefined> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') throw new Error('The export ended in the middle of an entry. Continue it with `after`.')
}
