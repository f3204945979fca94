import { Type } from 'typebox'
import { Event } from './events.ts'
import { bodyOf, closed, noQuery, nullable, openSet, timestampField } from './fields.ts'
import type { Operation } from './operation.ts'
import { pageQuery } from './page.ts'

/** So much can be told again by one request; more is several. */
export const REPLAYED_MAX = 10_000

const states = ['waiting', 'delivered', 'failed'] as const
const DeliveryState = Type.Enum([...states], { type: 'string' })
export type DeliveryState = (typeof states)[number]

const deliveryFields = {
  event_id: Type.String({ format: 'uuid' }),
  number: Type.Integer({ minimum: 1, description: 'Of the event, in the log.' }),
  type: Type.String({ description: 'Of the event.', examples: ['asset.completed'] }),
  state: openSet(states, {
    description:
      '`waiting` (for the first attempt or the next, or for an earlier event about the same thing), `delivered`, or `failed`: not tried any more.',
  }),
  attempt_count: Type.Integer({ minimum: 0, description: 'How often it was tried.' }),
  next_attempt_at: nullable(
    timestampField,
    'Of one that waits: not before then, and later if an earlier event about the same thing waits. Null once it has ended, and while the webhook is disabled.',
  ),
  created_at: Type.String({
    description: 'When it was to be told first, or asked to be told again.',
    examples: ['2026-11-15T09:30:00.000000Z'],
  }),
  ended_at: nullable(timestampField, 'When it was delivered or given up; null while it waits.'),
}

export const Delivery = Type.Object(deliveryFields, { title: 'Delivery' })
export type Delivery = Type.Static<typeof Delivery>

const Attempt = Type.Object(
  {
    at: timestampField,
    milliseconds: Type.Integer({ description: 'Until the answer was there, or was given up.' }),
    status: nullable(Type.Integer(), 'Of the answer; null if there was none.'),
    answer: nullable(Type.String(), 'The beginning of its text.'),
    error: nullable(Type.String(), 'Why there was no answer.'),
  },
  { title: 'DeliveryAttempt' },
)

export const DeliveryDetails = Type.Object(
  {
    ...deliveryFields,
    request: Type.Object(
      {
        url: Type.String(),
        headers: Type.Object({
          'content-type': Type.String(),
          'webhook-id': Type.String(),
          'webhook-timestamp': Type.Optional(
            Type.String({ description: 'Absent before the first attempt.' }),
          ),
        }),
        body: Event,
      },
      { description: 'As it was sent last, or will be sent; without the signature.' },
    ),
    attempts: Type.Array(Attempt, { description: 'Newest first, the last 100 at most.' }),
  },
  { title: 'DeliveryDetails' },
)
export type DeliveryDetails = Type.Static<typeof DeliveryDetails>

const onWebhook = Type.Object({ webhook_id: Type.String({ format: 'uuid' }) })
const onDelivery = Type.Object({
  webhook_id: Type.String({ format: 'uuid' }),
  delivery_id: Type.String({ format: 'uuid', description: 'The `event_id` of the delivery.' }),
})
const shared = { tag: 'Webhooks', idempotent: false } as const

export const testWebhook = {
  ...shared,
  id: 'testWebhook',
  method: 'POST',
  path: '/webhooks/:webhook_id/test/',
  summary: 'Test a webhook',
  description:
    'Has an event `webhook.test` told to this webhook alone, whatever its `types`. Answers the delivery; read it by its `event_id` to see what came of it.',
  scope: 'webhooks:write',
  params: onWebhook,
  query: noQuery,
  body: undefined,
  success: { status: 201, body: Delivery },
  idempotent: true,
  errors: ['webhook_not_found', 'webhook_disabled'],
} as const satisfies Operation

export const listDeliveries = {
  ...shared,
  id: 'listDeliveries',
  method: 'GET',
  path: '/webhooks/:webhook_id/deliveries/',
  summary: 'List the deliveries of a webhook',
  description:
    'By the numbers of their events, the last first, as long as events are kept. There may be millions, so they are not counted.',
  scope: 'webhooks:read',
  params: onWebhook,
  query: Type.Object({ state: Type.Optional(DeliveryState), ...pageQuery }, closed),
  body: undefined,
  success: {
    status: 200,
    body: Type.Object(
      {
        next: nullable(Type.String(), 'Address of the next page; null on the last.'),
        previous: nullable(Type.String(), 'Address of the previous page; null on the first.'),
        results: Type.Array(Delivery),
      },
      { title: 'Deliveries' },
    ),
  },
  errors: ['webhook_not_found', 'invalid_cursor'],
} as const satisfies Operation

export const readDelivery = {
  ...shared,
  id: 'readDelivery',
  method: 'GET',
  path: '/webhooks/:webhook_id/deliveries/:delivery_id/',
  summary: 'Read a delivery',
  description: 'What was asked of the receiver, what it answered, and how long that took.',
  scope: 'webhooks:read',
  params: onDelivery,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: DeliveryDetails },
  errors: ['webhook_not_found', 'delivery_not_found'],
} as const satisfies Operation

export const replayDelivery = {
  ...shared,
  id: 'replayDelivery',
  method: 'POST',
  repeatable: true,
  path: '/webhooks/:webhook_id/deliveries/:delivery_id/replay/',
  summary: 'Repeat a delivery',
  description:
    'Has the event told again, with the same `webhook-id`, whatever came of it before; one that waits is tried at once. It is tried for as long as a new one. Later events about the same thing that wait come after it.',
  scope: 'webhooks:write',
  params: onDelivery,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Delivery },
  errors: ['webhook_not_found', 'delivery_not_found', 'webhook_disabled'],
} as const satisfies Operation

const timeField = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', maxLength: 64, description }))

const numberField = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

export const replayEvents = {
  ...shared,
  id: 'replayEvents',
  method: 'POST',
  repeatable: true,
  path: '/webhooks/:webhook_id/replay/',
  summary: 'Repeat the events of a time',
  description: `Has all events of a stretch of the log told to this webhook that it wants by its \`types\` now, whether they were told before or not, also those from before it existed or while it was disabled. By times (\`since\`, \`until\`), by numbers (\`after\`, \`before\`), or both; at least where it begins is needed. At most ${REPLAYED_MAX} events. Tests are not repeated.`,
  scope: 'webhooks:write',
  params: onWebhook,
  query: noQuery,
  body: bodyOf(
    {
      since: timeField('Events that were created at this time or later.'),
      until: timeField('Events that were created before this time.'),
      after: numberField('Events with a higher number.'),
      before: numberField('Events with a lower number.'),
    },
    { after: 0, before: 1000 },
  ),
  success: {
    status: 200,
    body: Type.Object(
      { replayed: Type.Integer({ minimum: 0, description: 'How many events are told again.' }) },
      { title: 'Replay' },
    ),
  },
  errors: ['webhook_not_found', 'webhook_disabled', 'invalid_replay', 'replay_too_large'],
} as const satisfies Operation

/** In the order of the reference. */
export const operations = [
  testWebhook,
  listDeliveries,
  readDelivery,
  replayDelivery,
  replayEvents,
] as const
