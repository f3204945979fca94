import { webhooks as contract } from '@reelkeep/contract'
import type { WebhookId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { toCreator } from '../grants/grants.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  type IssuedWebhook,
  listWebhooks,
  requireWebhook,
  rotateSecret,
  type Webhook,
  type WebhookOptions,
} from './webhooks.ts'

export function registerWebhookRoutes(api: Api, { ring, networks }: WebhookOptions): void {
  route(api, contract.createWebhook, async ({ db, principal: grantor, body }) => {
    const input = { url: body.url, description: body.description ?? '', types: body.types ?? [] }
    return toNewWebhook(await createWebhook({ ring, networks, grantor }, db, input))
  })

  route(api, contract.listWebhooks, async ({ db, query, listUrl }) =>
    toPage(listUrl, await listWebhooks(db, pageRequestOf(query, isUuidKey)), toWire),
  )

  route(api, contract.readWebhook, async ({ db, params }) =>
    toWire(await requireWebhook(db, params.webhook_id as WebhookId)),
  )

  route(api, contract.updateWebhook, async ({ db, principal: grantor, params, body }) => {
    const { url, description, types, enabled: isEnabled } = body
    const id = params.webhook_id as WebhookId
    const change = { id, url, description, types, isEnabled }
    return toWire(await changeWebhook({ networks, grantor }, db, change))
  })

  route(api, contract.deleteWebhook, ({ db, params }) => deleteWebhook(db, params.webhook_id as WebhookId))

  route(api, contract.rotateWebhookSecret, async ({ db, principal: grantor, params, body }) => {
    const overlapSeconds = body.overlap_seconds ?? contract.OVERLAP_SECONDS_DEFAULT
    const input = { id: params.webhook_id as WebhookId, overlapSeconds }
    return toNewWebhook(await rotateSecret({ ring, grantor }, db, input))
  })
}

const toWire = (webhook: Webhook): contract.Webhook => ({
  id: webhook.id,
  url: webhook.url,
  description: webhook.description,
  types: [...webhook.types],
  enabled: webhook.disabledAt === null,
  disabled_reason: webhook.disabledReason,
  disabled_at: webhook.disabledAt,
  failing_since: webhook.failingSince,
  previous_secret_expires_at: webhook.previousSecretUntil,
  created_at: webhook.createdAt,
  created_by: toCreator(webhook),
  expires_at: webhook.expiresAt,
  updated_at: webhook.updatedAt,
})

const toNewWebhook = (issued: IssuedWebhook): contract.NewWebhook => ({
  ...toWire(issued),
  secret: issued.text,
})
