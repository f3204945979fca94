/** Reads what the audit log says about a request. */
import type { ApiResponse, Superuser } from '@reelkeep/testkit'

/** An entry as a row, sealed or waiting. */
export type AuditedRequest = {
  readonly actor_kind: string
  readonly actor_id: string | null
  readonly action: string
  readonly object_type: string | null
  readonly object_id: string | null
  readonly outcome: string
  readonly error_code: string | null
}

const columns = 'actor_kind, actor_id, action, object_type, object_id, outcome, error_code'

/** The entries of a request, in the order of writing. A request that changed something has exactly one. */
export function entriesOf(superuser: Superuser, { headers }: ApiResponse<unknown>): Promise<AuditedRequest[]> {
  return superuser.query<AuditedRequest>(
    `select ${columns} from (
       select ${columns}, request_id, created_at from audit_entries
       union all select ${columns}, request_id, created_at from audit_outbox) as entry
     where request_id = $1 order by created_at`,
    [headers['x-request-id']],
  )
}
