import { sql } from 'kysely'
import { type Given, statement } from '../../../platform/db/statement.ts'
import { isEnabled } from '../webhooks.store.ts'

/** A range of the log, inclusive. */
type Numbers = { readonly first: number; readonly last: number }

/** Whether the webhook subscribes to the event. A test event is only for the webhook that it names. */
export const isSubscribed = sql`
  case when event.type = 'webhook.test' then webhook.id::text = event.data ->> 'id'
  else webhook.types = '{}' or event.type = any (webhook.types) or split_part(event.type, '.', 1) || '.*' = any (webhook.types)
  end`

// New events do not wake a paused webhook. This transaction has sequenced the events, so only the weekly
// partitions around the current time are read.
const fanOut = statement(
  ({ organizationId, first, last }: Given<Numbers>) => sql`
    with inserted as (
      insert into webhook_deliveries
        (organization_id, webhook_id, number, numbered_at, event_id, type, subject, due_at)
      select ${organizationId}, webhook.id, event.number, event.numbered_at, event.id, event.type, event.subject, now()
      from events as event join webhooks as webhook on ${isEnabled('webhook')} and ${isSubscribed}
      where event.organization_id = ${organizationId} and webhook.organization_id = ${organizationId}
        and event.number between ${first}::bigint and ${last}::bigint
        and event.numbered_at between now() - interval '1 day' and now() + interval '1 day'
      returning webhook_id
    )
    update webhooks set due_at = least(due_at, greatest(now(), rests_until)), wakes = wakes + 1
    where organization_id = ${organizationId} and id in (select webhook_id from inserted)`,
)

/** Inserts a delivery for each event and subscribed webhook, in the transaction that sequences the events. */
export const fanOutQuery = fanOut
