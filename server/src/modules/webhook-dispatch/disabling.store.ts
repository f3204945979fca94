import { sql } from 'kysely'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'
import type { Holding } from './claims.store.ts'

type Disabling = Holding & { readonly because: 'gone' | 'failing' }

const disable = statement(
  ({ organizationId, webhookId, workerId, because }: Given<Disabling>) => sql<object>`
    update webhooks set disabled_at = now(), disabled_because = ${because}, updated_at = now(), worker_id = null
    where organization_id = ${organizationId} and id = ${webhookId} and worker_id = ${workerId} and disabled_at is null
    returning id`,
)

/** Returns whether this worker had claimed it and it is disabled now. */
export async function disableWebhook(tx: OrganizationDb, disabling: Disabling): Promise<boolean> {
  const [rows] = await tx.run(disable(disabling))
  return rows.length > 0
}
