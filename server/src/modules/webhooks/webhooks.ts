import { newWebhookId, type WebhookId } from '../../kernel/ids.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { Sealed } from '../../platform/crypto/wrapping.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/paging/keyset.ts'
import type { Query } from '../../platform/db/statement.ts'
import type { SequencedRange } from '../events/events.ts'
import { type Grantor, lockGrant } from '../grants/grants.ts'
import { fanOutQuery } from './deliveries/fan-out.store.ts'
import { makeDeliveriesDue } from './deliveries/webhook-deliveries.store.ts'
import { overdueWebhookSeconds } from './overdue.store.ts'
import { newSecret, type SecretsRow, signingSecrets } from './secrets/webhook-secrets.ts'
import { asWebhookUrl } from './webhook-address.rules.ts'
import { type NetworkOptions, readNetworks, setWebhookNetworks } from './webhook-networks.ts'
import { assertRoomForWebhook, type Webhook, webhookNotFound } from './webhooks.rules.ts'
import * as store from './webhooks.store.ts'

export type { SecretsRow, Webhook }
export { overdueWebhookSeconds, setWebhookNetworks, signingSecrets }
export const isEnabled = store.isEnabled

/** Runs when events are sequenced: creates exactly one delivery for each event and subscribed webhook. */
export const fanOut = (sequenced: SequencedRange): readonly Query<unknown>[] => [fanOutQuery(sequenced)]

/** A webhook with its secret, which is shown only to its creator. */
export type IssuedWebhook = Webhook & { readonly text: string }

export type WebhookInput = Pick<Webhook, 'url' | 'description' | 'types'>

/** Fields to change; undefined fields stay unchanged. */
export type WebhookChange = {
  readonly id: WebhookId
  readonly url: string | undefined
  readonly description: string | undefined
  readonly types: readonly string[] | undefined
  readonly isEnabled: boolean | undefined
}

/** Dependencies of creating and changing webhooks, besides the database. */
export type WebhookOptions = { readonly ring: KeyRing; readonly networks: NetworkOptions }

/** A request of the grantor, with its options. */
type By = WebhookOptions & { readonly grantor: Grantor }

export async function createWebhook(
  { ring, networks, grantor }: By,
  db: OrganizationDb,
  input: WebhookInput,
): Promise<IssuedWebhook> {
  const url = asWebhookUrl(input.url, await readNetworks(db, networks))
  const id = newWebhookId()
  const { text, sealed } = newSecret(ring, { organizationId: db.organizationId, webhookId: id })
  const webhook = await db.transaction(async (tx) => {
    const grant = await webhookGrant(tx, grantor)
    assertRoomForWebhook(await store.lockAndCountWebhooks(tx))
    return store.insertWebhook(tx, { ...input, ...grant, id, url, ...asColumns(sealed) })
  })
  return { ...webhook, text }
}

export async function listWebhooks(
  db: OrganizationDb,
  request: PageRequest,
): Promise<RowPage<Webhook> & { count: number }> {
  const { rows, count } = await store.selectWebhooks(db, request)
  return { ...toRowPage(rows, request, ({ id }) => [id]), count }
}

export async function requireWebhook(db: OrganizationDb, id: WebhookId): Promise<Webhook> {
  const webhook = await store.findWebhook(db, id)
  if (!webhook) throw webhookNotFound()
  return webhook
}

/** Maximum number of deliveries that a change makes due at once. The others keep their backoff. */
const MADE_DUE_MAX = 10_000

/**
 * Enabling a webhook or setting its URL resets all failures, and waiting deliveries are attempted at once. Enabling it
 * and setting its URL or types also make it expire with the grantor, because they give the URL more events.
 */
export async function changeWebhook(
  { networks, grantor }: Pick<By, 'networks' | 'grantor'>,
  db: OrganizationDb,
  { id, url, description, types, isEnabled }: WebhookChange,
): Promise<Webhook> {
  const resetsFailures = isEnabled === true || url !== undefined
  const replacesGrant = resetsFailures || types !== undefined
  const change = {
    id,
    url: url === undefined ? null : asWebhookUrl(url, await readNetworks(db, networks)),
    description: description ?? null,
    types: types ?? null,
    isEnabled: isEnabled ?? null,
    resetsFailures,
    replacesGrant,
  }
  return db.transaction(async (tx) => {
    const webhook = await store.updateWebhook(tx, { ...change, ...(await webhookGrant(tx, grantor)) })
    if (!webhook) throw webhookNotFound()
    if (resetsFailures) await makeDeliveriesDue(tx, id, MADE_DUE_MAX)
    return webhook
  })
}

/** Deletes a webhook. Its deliveries are no longer accessible and are removed with their partitions. */
export async function deleteWebhook(db: OrganizationDb, id: WebhookId): Promise<void> {
  if (!(await store.deleteWebhook(db, id))) throw webhookNotFound()
}

/** Creates a new secret; requests are also signed with the previous one for a while. */
export async function rotateSecret(
  { ring, grantor }: Pick<By, 'ring' | 'grantor'>,
  db: OrganizationDb,
  { id, overlapSeconds }: { readonly id: WebhookId; readonly overlapSeconds: number },
): Promise<IssuedWebhook> {
  const { text, sealed } = newSecret(ring, { organizationId: db.organizationId, webhookId: id })
  const secret = asColumns(sealed)
  const webhook = await db.transaction(async (tx) =>
    store.updateSecret(tx, { id, overlapSeconds, ...secret, ...(await webhookGrant(tx, grantor)) }),
  )
  if (!webhook) throw webhookNotFound()
  return { ...webhook, text }
}

async function webhookGrant(tx: OrganizationDb, grantor: Grantor): Promise<store.WebhookGrant> {
  const { createdBy: grantedBy, expiresAt } = await lockGrant(tx, grantor)
  return { grantedBy, expiresAt }
}

const asColumns = ({ wrapped, keyEncryptionId }: Sealed) => ({
  secret: wrapped,
  secretKeyId: keyEncryptionId,
})
