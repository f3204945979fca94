/** Compares the requests of a member with the audit log of the organization. */
import type { ApiResponse, Superuser } from '@reelkeep/testkit'
import { type OperationId, operationOf } from '../errors/every-operation.ts'

/** A request of the member, and its response. */
export type AuditedCall = {
  readonly id: OperationId
  readonly requestId: string
  readonly status: number
  /** The error code; null if the request succeeded. */
  readonly code: string | null
}

export function auditedCall(id: OperationId, { status, headers, body }: ApiResponse<unknown>): AuditedCall {
  const code = status >= 400 ? ((body as { code?: string } | undefined)?.code ?? null) : null
  return { id, requestId: headers['x-request-id'] ?? '', status, code }
}

/** Every change, the reads that the contract marks, and every refusal. */
function isAudited({ id, status }: AuditedCall): boolean {
  const { method, recordsRead } = operationOf(id)
  return status === 403 || (status < 400 && (method !== 'GET' || recordsRead === true))
}

/** A call or an entry as text, so that lists of them can be compared. */
const textOf = (call: Omit<AuditedCall, 'status'> & { readonly actor: string }) =>
  `${call.requestId} ${call.id} ${call.code} ${call.actor}`

type Entry = {
  readonly requestId: string | null
  readonly id: OperationId | 'furtherRefusals'
  readonly code: string | null
  readonly actor: string
  readonly outcome: string
  readonly count: number
}

/**
 * What the log says about the calls of a member. Of the refusals in one minute, it contains the first 60 one by one and
 * one entry that counts the others, so `uncounted` is the number of refusals that no entry counts.
 */
export async function compareWithLog(superuser: Superuser, memberId: string, calls: readonly AuditedCall[]) {
  const columns = 'request_id, action, error_code, actor_kind, actor_id, outcome, entry_count'
  const entries = await superuser.query<Entry>(
    `select request_id as "requestId", action as id, error_code as code, actor_kind || ' ' || actor_id as actor,
       outcome, entry_count as count
     from (select ${columns} from audit_entries union all select ${columns} from audit_outbox) as entry
     where actor_id = $1 or request_id = any($2)`,
    [memberId, calls.map(({ requestId }) => requestId)],
  )
  const actor = `member ${memberId}`
  const expected = new Set(calls.filter(isAudited).map((call) => textOf({ ...call, actor })))
  const found = new Set<string>()
  const wrong: Entry[] = []
  for (const entry of entries) {
    const { id, requestId } = entry
    if (id === 'furtherRefusals' && entry.actor === actor) continue
    const text = id === 'furtherRefusals' ? '' : textOf({ ...entry, id, requestId: requestId ?? '' })
    const outcome = entry.code === null ? 'success' : 'refused'
    if (!expected.has(text) || found.has(text) || entry.outcome !== outcome) wrong.push(entry)
    found.add(text)
  }
  const refusals = entries.filter(({ outcome }) => outcome === 'refused')
  const refused = calls.filter(({ status }) => status === 403).length
  return {
    changes: calls.filter((call) => isAudited(call) && call.status < 400).length,
    refused,
    /** Entries that no call explains, or with another actor, outcome or error code. */
    wrong,
    missingChanges: calls.filter(
      (call) => isAudited(call) && call.status < 400 && !found.has(textOf({ ...call, actor })),
    ),
    uncounted: refused - refusals.reduce((sum, { count }) => sum + count, 0),
  }
}
