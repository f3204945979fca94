import { sql } from 'kysely'
import type { WebhookId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { customPlan, type Given, statement } from '../../../platform/db/statement.ts'
import { wakeQuery } from '../webhooks.store.ts'
import { isSubscribed } from './fan-out.store.ts'
import type { ReplayRange } from './replay.rules.ts'
import { restarted } from './webhook-deliveries.store.ts'

type Replay = ReplayRange & { readonly webhookId: WebhookId; readonly limit: number }

// Rows are locked in the order of their numbers, as in all statements. Events are sequenced after they are written,
// or at most slightly before, so weekly partitions that end before `since` are skipped.
const replay = customPlan(
  statement(
    (given: Given<Replay>) => sql<{ count: number }>`
      with wanted as materialized (
        select event.number, event.numbered_at, event.id, event.type, event.subject
        from events as event join webhooks as webhook on ${isSubscribed}
        where event.organization_id = ${given.organizationId}
          and webhook.organization_id = ${given.organizationId} and webhook.id = ${given.webhookId}
          and event.type <> 'webhook.test'
          and (${given.after}::bigint is null or event.number > ${given.after}::bigint)
          and (${given.before}::bigint is null or event.number < ${given.before}::bigint)
          and (${given.since}::timestamptz is null
            or (event.created_at >= ${given.since}::timestamptz
              and event.numbered_at >= ${given.since}::timestamptz - interval '1 hour'))
          and (${given.until}::timestamptz is null or event.created_at < ${given.until}::timestamptz)
        order by event.number limit ${given.limit}::integer + 1
      ),
      inserted as (
        insert into webhook_deliveries
          (organization_id, webhook_id, number, numbered_at, event_id, type, subject, due_at)
        select ${given.organizationId}, ${given.webhookId}::uuid, number, numbered_at, id, type, subject, now() from wanted
        where (select count(*) from wanted) <= ${given.limit}::integer
        order by number
        on conflict (organization_id, webhook_id, number, numbered_at)
          do update set ${restarted}
      )
      select count(*) as count from wanted`,
  ),
)

/**
 * Enqueues the events for the webhook, or none if there are more than the limit. Returns their number, up to one
 * more than the limit.
 */
export async function replayRange(db: OrganizationDb, range: Replay): Promise<number> {
  return db.transaction(async (tx) => {
    const [[row]] = await tx.run(replay(range))
    const count = row?.count ?? 0
    if (count > 0 && count <= range.limit) await tx.send(wakeQuery(range.webhookId))
    return count
  })
}
