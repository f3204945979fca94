import type { audit as contract } from '@reelkeep/contract'
import type { AuditEntry } from './audit.rules.ts'

export const toEntry = (entry: AuditEntry): contract.AuditEntry => ({
  number: entry.number,
  organization_id: entry.organizationId,
  created_at: entry.createdAt,
  actor: { kind: entry.actor.kind, id: entry.actor.id, name: entry.actor.name },
  action: entry.action,
  object: { type: entry.object?.type ?? null, id: entry.object?.id ?? null },
  outcome: entry.outcome,
  error_code: entry.errorCode,
  address: entry.address,
  user_agent: entry.userAgent,
  request_id: entry.requestId,
  count: entry.count,
  previous_hash: entry.previousHash,
  hash: entry.hash,
})
