import type { webhooks } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import type { ErrorTriggers, Fixture } from './triggers.ts'

const unknownId = '019a0000-0000-7000-8000-000000000000'
const input = { url: 'https://receiver.example/reelkeep' }

async function newWebhook(caller: Caller): Promise<string> {
  return (await caller.post<webhooks.NewWebhook>('webhooks/', input)).body.id
}

async function disabledWebhook(caller: Caller): Promise<string> {
  const id = await newWebhook(caller)
  await caller.patch(`webhooks/${id}/`, { enabled: false })
  return id
}

/** Creates events directly in the log, because the API would need minutes. */
async function webhookBehind({ caller, superuser }: Fixture, events: number): Promise<string> {
  await superuser.query(
    `insert into event_logs values ($1, $2) on conflict (organization_id) do update set last_number = $2`,
    [caller.organizationId, events],
  )
  await superuser.query('delete from event_outbox where organization_id = $1', [caller.organizationId])
  await superuser.query(
    `insert into events (organization_id, number, id, type, subject, data, created_at)
     select $1, number, gen_random_uuid(), 'token.created', 'many', '{}', now()
     from generate_series(1, $2::integer) as number`,
    [caller.organizationId, events],
  )
  return newWebhook(caller)
}

export const webhookTriggers = {
  createWebhook: {
    invalid_webhook_url: ({ caller }) => caller.post('webhooks/', { url: 'https://10.0.0.1/' }),
    webhook_limit_reached: async ({ caller }) => {
      for (let count = 0; count < 100; count++) await newWebhook(caller)
      return caller.post('webhooks/', input)
    },
  },
  listWebhooks: {
    invalid_cursor: ({ caller }) => caller.get('webhooks/?cursor=junk'),
  },
  readWebhook: {
    webhook_not_found: ({ caller }) => caller.get(`webhooks/${unknownId}/`),
  },
  updateWebhook: {
    webhook_not_found: ({ caller }) => caller.patch(`webhooks/${unknownId}/`, { enabled: false }),
    invalid_webhook_url: async ({ caller }) =>
      caller.patch(`webhooks/${await newWebhook(caller)}/`, { url: 'ftp://receiver.example/' }),
  },
  deleteWebhook: {
    webhook_not_found: ({ caller }) => caller.delete(`webhooks/${unknownId}/`),
  },
  rotateWebhookSecret: {
    webhook_not_found: ({ caller }) => caller.post(`webhooks/${unknownId}/rotate-secret/`, {}),
  },
  testWebhook: {
    webhook_not_found: ({ caller }) => caller.post(`webhooks/${unknownId}/test/`),
    webhook_disabled: async ({ caller }) => caller.post(`webhooks/${await disabledWebhook(caller)}/test/`),
  },
  listDeliveries: {
    webhook_not_found: ({ caller }) => caller.get(`webhooks/${unknownId}/deliveries/`),
    invalid_cursor: async ({ caller }) => caller.get(`webhooks/${await newWebhook(caller)}/deliveries/?cursor=junk`),
  },
  readDelivery: {
    webhook_not_found: ({ caller }) => caller.get(`webhooks/${unknownId}/deliveries/${unknownId}/`),
    delivery_not_found: async ({ caller }) =>
      caller.get(`webhooks/${await newWebhook(caller)}/deliveries/${unknownId}/`),
  },
  replayDelivery: {
    webhook_not_found: ({ caller }) => caller.post(`webhooks/${unknownId}/deliveries/${unknownId}/replay/`),
    delivery_not_found: async ({ caller }) =>
      caller.post(`webhooks/${await newWebhook(caller)}/deliveries/${unknownId}/replay/`),
    webhook_disabled: async ({ caller }) =>
      caller.post(`webhooks/${await disabledWebhook(caller)}/deliveries/${unknownId}/replay/`),
  },
  replayEvents: {
    webhook_not_found: ({ caller }) => caller.post(`webhooks/${unknownId}/replay/`, { after: 0 }),
    webhook_disabled: async ({ caller }) =>
      caller.post(`webhooks/${await disabledWebhook(caller)}/replay/`, { after: 0 }),
    invalid_replay: async ({ caller }) => caller.post(`webhooks/${await newWebhook(caller)}/replay/`, { before: 7 }),
    replay_too_large: async (fixture) =>
      fixture.caller.post(`webhooks/${await webhookBehind(fixture, 10_001)}/replay/`, { after: 0 }),
  },
} satisfies Partial<ErrorTriggers>
