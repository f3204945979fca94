import { Type } from 'typebox'
import { bodyOf, Creator, closed, noParams, noQuery, nullable, openSet, timestampField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'
import { eventTypes } from './events.ts'

/** Maximum number of webhooks. It limits the work per event, because one delivery is stored for each webhook. */
export const WEBHOOKS_MAX = 100
export const WEBHOOK_URL_LENGTH_MAX = 2048
const OVERLAP_SECONDS_MAX = 7 * 86_400
export const OVERLAP_SECONDS_DEFAULT = 86_400

/** Wildcards that match all event types of a resource, such as `asset.*`. */
const typeWildcards = [...new Set(eventTypes.map((type) => `${type.split('.', 1)}.*`))]
/** The values of a filter of event types. */
export const knownTypes = [...eventTypes, ...typeWildcards]

const webhookFields = {
  id: Type.String({ format: 'uuid' }),
  url: Type.String({ description: 'URL that receives the events.' }),
  description: Type.String(),
  types: Type.Array(Type.String(), {
    description: 'Subscribed event types; empty for all events.',
  }),
  enabled: Type.Boolean(),
  disabled_reason: nullable(
    openSet(['caller', 'expired', 'failing', 'gone']),
    '`caller`: disabled by an API request. `expired`: `expires_at` has passed. `failing`: no delivery succeeded for too long. `gone`: the endpoint returned 410. Later versions may add others. Null while the webhook is enabled.',
  ),
  disabled_at: nullable(timestampField),
  failing_since: nullable(
    timestampField,
    'Time of the first failure since the last successful delivery; null if there was none.',
  ),
  previous_secret_expires_at: nullable(
    timestampField,
    'Until when requests are also signed with the previous secret; null if they are not.',
  ),
  created_at: timestampField,
  created_by: Creator,
  expires_at: nullable(
    timestampField,
    'The webhook is disabled from then on: the expiry of the token that created it, or that last enabled it or changed its URL, types or secret. Null if that token does not expire.',
  ),
  updated_at: timestampField,
}

/** A webhook without its secret, which is returned once. */
export const Webhook = Type.Object(webhookFields, { title: 'Webhook' })
export type Webhook = Type.Static<typeof Webhook>

export const NewWebhook = Type.Object(
  {
    ...webhookFields,
    secret: Type.String({
      description: 'Signing secret (`whsec_…`), returned only once. Store it securely.',
    }),
  },
  { title: 'NewWebhook' },
)
export type NewWebhook = Type.Static<typeof NewWebhook>

const urlField = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_URL_LENGTH_MAX,
  description:
    '`https` URL that receives the events, without credentials or fragment. It must be on the public internet, unless the operator allows other networks (and `http` within them).',
  examples: ['https://receiver.example/reelkeep'],
})

const settingFields = {
  description: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$',
      description: 'Your own note.',
    }),
  ),
  types: Type.Optional(
    Type.Array(Type.Enum([...knownTypes], { type: 'string' }), {
      maxItems: knownTypes.length,
      uniqueItems: true,
      description:
        'Event types to subscribe to; `asset.*` matches all types with that prefix. Empty for all events, including types of later versions.',
    }),
  ),
}

const onWebhook = Type.Object({ webhook_id: Type.String({ format: 'uuid' }) })
const shared = { tag: 'Webhooks', idempotent: false, isOrganizationWide: true } as const

export const createWebhook = {
  ...shared,
  id: 'createWebhook',
  method: 'POST',
  path: '/webhooks/',
  summary: 'Create a webhook',
  description: `Subscribes a URL to future events. Requests are signed according to Standard Webhooks and delivered at least once, in order per asset. Use a replay to deliver past events. An organization can have at most ${WEBHOOKS_MAX} webhooks.`,
  scopes: ['webhooks:write', 'events:read'],
  params: noParams,
  query: noQuery,
  body: bodyOf({ url: urlField, ...settingFields }, { url: 'https://receiver.example/reelkeep', types: ['asset.*'] }),
  success: { status: 201, body: NewWebhook },
  idempotent: true,
  secretResponse: true,
  errors: ['invalid_webhook_url', 'webhook_limit_reached'],
} as const satisfies Operation

export const listWebhooks = {
  ...shared,
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks/',
  summary: 'List webhooks',
  description: 'Returns the webhooks, newest first, without their secrets.',
  scopes: ['webhooks:read'],
  params: noParams,
  query: Type.Object(pageQuery, closed),
  body: undefined,
  success: { status: 200, body: page(Webhook) },
  errors: ['invalid_cursor'],
} as const satisfies Operation

export const readWebhook = {
  ...shared,
  id: 'readWebhook',
  method: 'GET',
  path: '/webhooks/:webhook_id/',
  summary: 'Retrieve a webhook',
  description: 'Returns the webhook with its state, without its secret.',
  scopes: ['webhooks:read'],
  params: onWebhook,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Webhook },
  errors: ['webhook_not_found'],
} as const satisfies Operation

export const updateWebhook = {
  ...shared,
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/webhooks/:webhook_id/',
  summary: 'Update a webhook',
  description:
    'Changes the given fields. While a webhook is disabled, its waiting deliveries are kept, but new events create no deliveries; replay them later if you need them. Enabling it clears its failure state and resumes the waiting deliveries; those older than the retry period fail. Changing `url` retries waiting deliveries at the new URL immediately. Changing `types` affects future events only.',
  scopes: ['webhooks:write', 'events:read'],
  params: onWebhook,
  query: noQuery,
  body: Type.Object(
    {
      url: Type.Optional(urlField),
      ...settingFields,
      enabled: Type.Optional(Type.Boolean()),
    },
    { ...closed, minProperties: 1, examples: [{ types: ['asset.*', 'upload_session.failed'] }] },
  ),
  success: { status: 200, body: Webhook },
  errors: ['webhook_not_found', 'invalid_webhook_url'],
} as const satisfies Operation

export const deleteWebhook = {
  ...shared,
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/webhooks/:webhook_id/',
  summary: 'Delete a webhook',
  description:
    'Deletes the webhook with its secret and all its deliveries. A request that is already in flight may still arrive.',
  scopes: ['webhooks:write'],
  params: onWebhook,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['webhook_not_found'],
} as const satisfies Operation

export const rotateWebhookSecret = {
  ...shared,
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/webhooks/:webhook_id/rotate-secret/',
  summary: 'Rotate a webhook secret',
  description:
    'Returns a new secret. For `overlap_seconds`, requests are signed with both the new and the previous secret, so that the receiver can switch without rejecting requests; older secrets are no longer used. Pass 0 if the previous secret was leaked.',
  scopes: ['webhooks:write', 'events:read'],
  params: onWebhook,
  query: noQuery,
  body: bodyOf(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: OVERLAP_SECONDS_MAX,
          default: OVERLAP_SECONDS_DEFAULT,
          description: 'How long the previous secret stays valid, up to one week.',
        }),
      ),
    },
    { overlap_seconds: 3600 },
  ),
  success: { status: 201, body: NewWebhook },
  idempotent: true,
  secretResponse: true,
  errors: ['webhook_not_found'],
} as const satisfies Operation

export const operations = [
  createWebhook,
  listWebhooks,
  readWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
] as const
