import { Type } from 'typebox'
import { eventTypes } from './events.ts'
import { bodyOf, closed, noParams, noQuery, nullable, openSet, timestampField } from './fields.ts'
import type { Operation } from './operation.ts'
import { page, pageQuery } from './page.ts'

/** More than an organization has receivers; each event is written down once for each of them. */
export const WEBHOOKS_MAX = 100
export const WEBHOOK_URL_LENGTH_MAX = 2048
const OVERLAP_SECONDS_MAX = 7 * 86_400
export const OVERLAP_SECONDS_DEFAULT = 86_400

/** `asset.*` stands for all that begin so. */
const families = [...new Set(eventTypes.map((type) => `${type.split('.', 1)}.*`))]
const knownTypes = [...eventTypes, ...families]

const webhookFields = {
  id: Type.String({ format: 'uuid' }),
  url: Type.String({ description: 'As it is called.' }),
  description: Type.String(),
  types: Type.Array(Type.String(), { description: 'What it is told; empty: everything.' }),
  enabled: Type.Boolean(),
  disabled_because: nullable(
    openSet(['caller', 'failing', 'gone']),
    '`caller`: you disabled it. `failing`: no delivery succeeded for too long. `gone`: it answered 410. Later versions may add others. Null while it is enabled.',
  ),
  disabled_at: nullable(timestampField),
  failing_since: nullable(
    timestampField,
    'Since when no delivery has succeeded; null while nothing has failed since the last success.',
  ),
  previous_secret_expires_at: nullable(
    timestampField,
    'Until when requests are signed with the secret before this one as well; null if with this one alone.',
  ),
  created_at: timestampField,
  updated_at: timestampField,
}

/** A webhook as it can be read: everything but the secret, which is shown once. */
export const Webhook = Type.Object(webhookFields, { title: 'Webhook' })
export type Webhook = Type.Static<typeof Webhook>

export const NewWebhook = Type.Object(
  {
    ...webhookFields,
    secret: Type.String({
      description:
        'What requests are signed with (`whsec_…`), shown this once. Keep it where secrets are kept.',
    }),
  },
  { title: 'NewWebhook' },
)
export type NewWebhook = Type.Static<typeof NewWebhook>

const urlField = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_URL_LENGTH_MAX,
  description:
    'Where events are posted to, by `https`. It holds neither a user name nor a fragment, and leads to the public internet; other networks, and `http` in them, are for the operator to allow.',
  examples: ['https://receiver.example/reelkeep'],
})

const wishFields = {
  description: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$',
      description: 'For whoever reads the list.',
    }),
  ),
  types: Type.Optional(
    Type.Array(Type.Enum([...knownTypes], { type: 'string' }), {
      maxItems: knownTypes.length,
      uniqueItems: true,
      description:
        'Only these kinds of events; `asset.*` stands for all that begin so. Empty: all, those of later versions too.',
    }),
  ),
}

const onWebhook = Type.Object({ webhook_id: Type.String({ format: 'uuid' }) })
const shared = { tag: 'Webhooks', idempotent: false } as const

export const createWebhook = {
  ...shared,
  id: 'createWebhook',
  method: 'POST',
  path: '/webhooks/',
  summary: 'Create a webhook',
  description: `Events from now on are posted to its address, signed as Standard Webhooks has it, at least once and in order for each asset. What happened before can be had by a replay. An organization has at most ${WEBHOOKS_MAX}.`,
  scope: 'webhooks:write',
  params: noParams,
  query: noQuery,
  body: bodyOf(
    { url: urlField, ...wishFields },
    { url: 'https://receiver.example/reelkeep', types: ['asset.*'] },
  ),
  success: { status: 201, body: NewWebhook },
  idempotent: true,
  secretAnswer: true,
  errors: ['invalid_webhook_url', 'webhook_limit_reached'],
} as const satisfies Operation

export const listWebhooks = {
  ...shared,
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks/',
  summary: 'List webhooks',
  description: 'Newest first, without their secrets.',
  scope: 'webhooks:read',
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
  summary: 'Read a webhook',
  description: 'Everything but its secret: whether it is told, and since when it fails if it does.',
  scope: 'webhooks:read',
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
  summary: 'Change a webhook',
  description:
    'What is absent stays. Disabled, it is sent nothing: what waits for it is kept, and what happens meanwhile is not written down for it (a replay makes up for that). Enabled again, it is as if it had never failed, and goes on with what waits; what has waited for longer than the service tries fails. With another `url`, what waits is tried there at once. Other `types` count for events from now on.',
  scope: 'webhooks:write',
  params: onWebhook,
  query: noQuery,
  body: Type.Object(
    {
      url: Type.Optional(urlField),
      ...wishFields,
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
    'With its secret and its deliveries, those that wait too. A request that is under way is not called back.',
  scope: 'webhooks:write',
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
  path: '/webhooks/:webhook_id/rotate_secret/',
  summary: 'Rotate the secret of a webhook',
  description:
    'Answers a new secret. For `overlap_seconds` requests are signed with both, so that the receiver can change over without refusing one; of an earlier secret than these two no signature is made any more. Pass 0 if somebody else has the old one.',
  scope: 'webhooks:write',
  params: onWebhook,
  query: noQuery,
  body: bodyOf(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: OVERLAP_SECONDS_MAX,
          default: OVERLAP_SECONDS_DEFAULT,
          description: 'Up to a week; a day unless told otherwise.',
        }),
      ),
    },
    { overlap_seconds: 3600 },
  ),
  success: { status: 201, body: NewWebhook },
  idempotent: true,
  secretAnswer: true,
  errors: ['webhook_not_found'],
} as const satisfies Operation

/** In the order of the reference. */
export const operations = [
  createWebhook,
  listWebhooks,
  readWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
] as const
