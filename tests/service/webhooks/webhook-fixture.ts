/** Webhooks in a database of their own, because a dispatcher delivers everything that is due in its database. */
import { randomUUID } from 'node:crypto'
import { type AssetId, newWebhookId, type OrganizationId, type WebhookId } from '@reelkeep/server/kernel/ids.ts'
import { about, aboutAsset, recordEvents, sequenceEvents } from '@reelkeep/server/modules/events/events.ts'
import { createOrganization } from '@reelkeep/server/modules/organizations/organizations.ts'
import { newSecret } from '@reelkeep/server/modules/webhooks/secrets/webhook-secrets.ts'
import { fanOut } from '@reelkeep/server/modules/webhooks/webhooks.ts'
import { readApiConfig } from '@reelkeep/server/platform/config/env.ts'
import type { Database } from '@reelkeep/server/platform/db/database.ts'
import {
  fastWorkerSettings,
  openDatabase,
  openOwner,
  resetDatabase,
  Superuser,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'

export type TestWebhook = {
  readonly id: WebhookId
  readonly organizationId: OrganizationId
  readonly secret: string
}
type Delivery = {
  number: number
  state: string
  attempts: number
  refusals: number
  dueIn: number | null
}
type Attempt = {
  number: number
  attempt: number
  status: number | null
  answer: string | null
  error: string | null
  milliseconds: number
}
type State = {
  worker_id: string | null
  disabled_because: string | null
  silences: number
  isFailing: boolean
  dueIn: number | null
  pausedFor: number | null
}

export async function openWebhookFixture(name: string) {
  const env = withDatabase(stackEnv(), name)
  await resetDatabase(env)
  const superuser = await Superuser.open(env)
  const { KEY_ENCRYPTION_KEYS: keyRing } = readApiConfig(env)
  const [api, asWorker] = [openDatabase(env.DATABASE_URL, 8), openDatabase(env.DATABASE_WORKER_URL, 8)]
  const workers: WorkerProcess[] = []

  const newWebhook = async (organizationId: OrganizationId, url: string): Promise<TestWebhook> => {
    const webhookId = newWebhookId()
    const { text, sealed } = newSecret(keyRing, { organizationId, webhookId })
    await superuser.query(
      `insert into webhooks (organization_id, id, url, description, types, secret, secret_key_id)
       values ($1, $2, $3, '', '{}', $4, $5)`,
      [organizationId, webhookId, url, sealed.wrapped, sealed.keyEncryptionId],
    )
    return { id: webhookId, organizationId, secret: text }
  }
  return {
    env,
    superuser,
    api,
    asWorker,
    keyRing,
    newOrganizationId: async () => {
      await using owner = openOwner(env)
      // Creates the organization without a token, because creating a token would record an event.
      return createOrganization(owner, { name: 'Test', id: undefined })
    },
    newWebhook,
    /** Sets a new secret of the webhook; the old one stays valid for `overlapSeconds`. */
    rotateSecret: async ({ id, organizationId }: TestWebhook, overlapSeconds: number) => {
      const { text, sealed } = newSecret(keyRing, { organizationId, webhookId: id })
      await superuser.query(
        `update webhooks set previous_secret = secret, previous_secret_key_id = secret_key_id,
           previous_secret_until = now() + make_interval(secs => $3), secret = $4, secret_key_id = $5
         where organization_id = $1 and id = $2`,
        [organizationId, id, overlapSeconds, sealed.wrapped, sealed.keyEncryptionId],
      )
      return text
    },
    ...eventRecorders(api),
    ...stateQueries(superuser),
    startWorker: async (settings: Record<string, string> = {}) => {
      const worker = await WorkerProcess.start({
        env,
        settings: {
          ...fastWorkerSettings,
          WORKER_QUEUES: 'light',
          MEDIA_SANDBOX: 'none',
          WEBHOOK_DEVELOPMENT_NETWORKS: '127.0.0.0/8:*',
          ...settings,
        },
      })
      workers.push(worker)
      return worker
    },
    /**
     * Changes the leases as if this worker had sent no heartbeat for an hour while all others had: its lease has
     * expired, and other workers may reclaim its webhooks. Only for a worker that no longer sends heartbeats.
     */
    expireLease: (workerId: string) =>
      superuser.query(
        `update worker_leases set steady_since = steady_since - interval '1 hour',
           seen_at = seen_at - make_interval(hours => (worker_id = $1)::int)`,
        [workerId],
      ),
    stopWorkers: () => Promise.all(workers.splice(0).map((worker) => worker[Symbol.asyncDispose]())),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
      for (const database of [api, asWorker]) await database[Symbol.asyncDispose]()
      await superuser[Symbol.asyncDispose]()
    },
  }
}

/** Queries of the state of a webhook in the database. */
const stateQueries = (superuser: Superuser) => ({
  deliveries: ({ organizationId, id }: TestWebhook) =>
    superuser.query<Delivery>(
      `select number::int, state, attempts, refusals, extract(epoch from due_at - now())::float8 as "dueIn"
         from webhook_deliveries where organization_id = $1 and webhook_id = $2 order by number`,
      [organizationId, id],
    ),
  attempts: ({ organizationId, id }: TestWebhook) =>
    superuser.query<Attempt>(
      `select number::int, attempt, status, answer, error, milliseconds
         from webhook_attempts where organization_id = $1 and webhook_id = $2 order by number, attempt`,
      [organizationId, id],
    ),
  state: async ({ organizationId, id }: TestWebhook) => {
    const [row] = await superuser.query<State>(
      `select worker_id, disabled_because, silences, failing_since is not null as "isFailing",
           extract(epoch from due_at - now())::float8 as "dueIn", extract(epoch from rests_until - now())::float8 as "pausedFor"
         from webhooks where organization_id = $1 and id = $2`,
      [organizationId, id],
    )
    return row
  },
})

const eventRecorders = (api: Database) => ({
  /** Records sequenced events about these assets, due for delivery. */
  recordAssetEvents: async (organizationId: OrganizationId, ...assets: readonly AssetId[]) => {
    const db = api.forOrganization(organizationId)
    const data = (asset_id: AssetId) => ({ asset_id, chapters: [] })
    const events = assets.map((asset) => aboutAsset(asset, { type: 'chapter.created', data: data(asset) }))
    await recordEvents(db, ...events)
    await sequenceEvents(db, fanOut)
  },
  /** Records an event without an asset. */
  recordTokenEvent: async (organizationId: OrganizationId) => {
    const db = api.forOrganization(organizationId)
    const id = randomUUID()
    await recordEvents(db, about(id, { type: 'token.created', data: { id, name: 'Test' } }))
    await sequenceEvents(db, fanOut)
  },
})
