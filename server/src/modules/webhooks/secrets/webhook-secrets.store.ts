import { sql } from 'kysely'
import type { OrganizationId, WebhookId } from '../../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'
import type { SecretsRow } from './webhook-secrets.ts'

/** Secrets of a webhook of any organization; without the previous one if that has expired. */
export type WebhookSecrets = Omit<SecretsRow, 'previousSecretUntil'> & {
  readonly organizationId: OrganizationId
  readonly isSuspended: boolean
  readonly id: WebhookId
}

type OtherKeys = {
  readonly keyId: string
  readonly afterOrganization: string
  readonly afterId: string
  readonly limit: number
}

const withOtherKeys = statement(
  ({ keyId, afterOrganization, afterId, limit }: Given<OtherKeys>) => sql<WebhookSecrets>`
    select organization_id as "organizationId", exists (
        select from held_organizations held where held.organization_id = webhooks.organization_id) as "isSuspended",
      id, secret, secret_key_id as "secretKeyId",
      case when previous_secret_until > now() then previous_secret end as "previousSecret",
      case when previous_secret_until > now() then previous_secret_key_id end as "previousSecretKeyId"
    from webhooks where (secret_key_id <> ${keyId} or previous_secret_key_id <> ${keyId})
      and (organization_id, id) > (${afterOrganization}, ${afterId}::uuid)
    order by organization_id, id limit ${limit}`,
)

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Webhooks of all organizations with a secret wrapped by another key. Needs a database opened as the owner. */
export const selectSecretsWithOtherKeys = (
  database: Database,
  keyId: string,
  { after, limit }: { readonly after: WebhookSecrets | undefined; readonly limit: number },
): Promise<WebhookSecrets[]> => {
  const [afterOrganization, afterId] = [after?.organizationId ?? '', after?.id ?? FIRST_ID]
  return database.runUnscoped(withOtherKeys({ keyId, afterOrganization, afterId, limit }))
}

type NewSecrets = Omit<WebhookSecrets, 'organizationId' | 'isSuspended'> & {
  readonly before: Buffer
}

const replace = statement(
  (given: Given<NewSecrets>) => sql`
    update webhooks set
      secret = ${given.secret}, secret_key_id = ${given.secretKeyId},
      previous_secret = ${given.previousSecret}::bytea, previous_secret_key_id = ${given.previousSecretKeyId},
      previous_secret_until = case when ${given.previousSecret}::bytea is not null then previous_secret_until end
    where organization_id = ${given.organizationId} and id = ${given.id} and secret = ${given.before}`,
)

/** Writes nothing if the secrets have been rotated since they were read. */
export async function updateSecrets(db: OrganizationDb, secrets: NewSecrets): Promise<void> {
  await db.run(replace(secrets))
}
