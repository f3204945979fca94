import { Type } from 'typebox'
import { bodyOf, closed, noQuery, nullable, openSet, timestampField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { pageQuery } from '../page.ts'
import { Event } from './events.ts'

/** Maximum number of events per replay request. */
export const REPLAY_EVENTS_MAX = 10_000

const states = ['waiting', 'delivered', 'failed'] as const
const DeliveryState = Type.Enum([...states], { type: 'string' })
export type DeliveryState = (typeof states)[number]

const deliveryFields = {
  event_id: Type.String({ format: 'uuid' }),
  number: Type.Integer({ minimum: 1, description: 'Number of the event in the log.' }),
  type: Type.String({ description: 'Type of the event.', examples: ['asset.completed'] }),
  state: openSet(states, {
    description:
      '`waiting` (for the next attempt, or for an earlier event of the same resource), `delivered` or `failed` (no more attempts).',
  }),
  attempt_count: Type.Integer({ minimum: 0, description: 'Number of attempts so far.' }),
  next_attempt_at: nullable(
    timestampField,
    'Earliest time of the next attempt; later if an earlier event of the same resource is still waiting. Null once the delivery has ended and while the webhook is disabled.',
  ),
  created_at: Type.String({
    description: 'When the delivery was created or last replayed.',
    examples: ['2026-11-15T09:30:00.000000Z'],
  }),
  ended_at: nullable(timestampField, 'When the delivery succeeded or finally failed; null while it is waiting.'),
}

export const Delivery = Type.Object(deliveryFields, { title: 'Delivery' })
export type Delivery = Type.Static<typeof Delivery>

const Attempt = Type.Object(
  {
    at: timestampField,
    milliseconds: Type.Integer({
      description: 'Time until the response or the timeout, in milliseconds.',
    }),
    status: nullable(Type.Integer(), 'HTTP status of the response; null if there was none.'),
    answer: nullable(
      Type.String(),
      'Start of the response body; null if there was none, or if it came from a private network.',
    ),
    error: nullable(Type.String(), 'Reason why there was no response.'),
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
          'webhook-timestamp': Type.Optional(Type.String({ description: 'Absent before the first attempt.' })),
        }),
        body: Event,
      },
      { description: 'The request as last sent or to be sent, without the signature.' },
    ),
    attempts: Type.Array(Attempt, { description: 'The 100 most recent attempts, newest first.' }),
  },
  { title: 'DeliveryDetails' },
)
export type DeliveryDetails = Type.Static<typeof DeliveryDetails>

const onWebhook = Type.Object({ webhook_id: Type.String({ format: 'uuid' }) })
const onDelivery = Type.Object({
  webhook_id: Type.String({ format: 'uuid' }),
  delivery_id: Type.String({ format: 'uuid', description: 'The `event_id` of the delivery.' }),
})
const shared = { tag: 'Webhooks', idempotent: false, isOrganizationWide: true } as const

export const testWebhook = {
  ...shared,
  id: 'testWebhook',
  method: 'POST',
  path: '/webhooks/:webhook_id/test/',
  summary: 'Test a webhook',
  description:
    'Sends a `webhook.test` event to this webhook, regardless of its `types`. Returns the delivery; retrieve it by its `event_id` to see the result.',
  scopes: ['webhooks:write'],
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
  summary: 'List deliveries',
  description:
    'Returns the deliveries of the webhook, ordered by event number, newest first. Deliveries are retained as long as events. The response has no `count`, because counting millions of deliveries would take too long.',
  scopes: ['webhooks:read'],
  params: onWebhook,
  query: Type.Object({ state: Type.Optional(DeliveryState), ...pageQuery }, closed),
  body: undefined,
  success: {
    status: 200,
    body: Type.Object(
      {
        next: nullable(Type.String(), 'URL of the next page; null on the last page.'),
        previous: nullable(Type.String(), 'URL of the previous page; null on the first page.'),
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
  summary: 'Retrieve a delivery',
  description: 'Returns the delivery with its request and all recent attempts.',
  scopes: ['webhooks:read', 'events:read'],
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
  summary: 'Replay a delivery',
  description:
    'Delivers the event again with the same `webhook-id`, regardless of its state; a waiting delivery is attempted immediately. Retries are the same as for a new event. Waiting events of the same resource with a higher number are delivered after it.',
  scopes: ['webhooks:write', 'events:read'],
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
  summary: 'Replay events',
  description: `Delivers all events in a range of the log that match the current \`types\` of the webhook, whether or not they were delivered before, including events from before the webhook existed or while it was disabled. Give the range by time (\`since\`, \`until\`), by number (\`after\`, \`before\`) or both; its start is required. At most ${REPLAY_EVENTS_MAX} events. Test events are not replayed.`,
  scopes: ['webhooks:write', 'events:read'],
  params: onWebhook,
  query: noQuery,
  body: bodyOf(
    {
      since: timeField('Include events created at or after this time.'),
      until: timeField('Include events created before this time.'),
      after: numberField('Include events with a number higher than this.'),
      before: numberField('Include events with a number lower than this.'),
    },
    { after: 0, before: 1000 },
  ),
  success: {
    status: 200,
    body: Type.Object(
      {
        replayed: Type.Integer({
          minimum: 0,
          description: 'Number of events that will be delivered.',
        }),
      },
      { title: 'Replay' },
    ),
  },
  errors: ['webhook_not_found', 'webhook_disabled', 'invalid_replay', 'replay_too_large'],
} as const satisfies Operation

export const operations = [testWebhook, listDeliveries, readDelivery, replayDelivery, replayEvents] as const
