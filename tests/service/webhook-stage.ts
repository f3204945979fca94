/** Webhooks in a database of their own, because a courier tells whatever is due there. */
import { randomUUID } from 'node:crypto'
import {
  about,
  aboutAsset,
  recordEvents,
  settleEvents,
} from '@reelkeep/server/capabilities/events/events.ts'
import { createOrganization } from '@reelkeep/server/capabilities/organizations/organizations.ts'
import { newSecret } from '@reelkeep/server/capabilities/webhooks/secrets/webhook-secrets.ts'
import { fanOut } from '@reelkeep/server/capabilities/webhooks/webhooks.ts'
import {
  type AssetId,
  newWebhookId,
  type OrganizationId,
  type WebhookId,
} from '@reelkeep/server/kernel/ids.ts'
import { readApiConfig } from '@reelkeep/server/platform/config/env.ts'
import { Database } from '@reelkeep/server/platform/db/database.ts'
import {
  openOwner,
  resetDatabase,
  Superuser,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'

export type Hook = {
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
  restsFor: number | null
}

export async function openWebhookStage(name: string) {
  const env = withDatabase(stackEnv(), name)
  await resetDatabase(env)
  const superuser = await Superuser.open(env)
  const { KEY_ENCRYPTION_KEYS: keyRing } = readApiConfig(env)
  const open = (url: string) =>
    new Database({ url, connectionsMax: 8, statementTimeoutSeconds: 10 }, () => {})
  const [api, asWorker] = [open(env.DATABASE_URL), open(env.DATABASE_WORKER_URL)]
  const workers: WorkerProcess[] = []

  const newWebhook = async (organizationId: OrganizationId, url: string): Promise<Hook> => {
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
      // Without a token, of which an event would tell.
      return createOrganization(owner, { name: 'Test', id: undefined })
    },
    newWebhook,
    /** A new secret; the old one counts for so long. */
    rotate: async ({ id, organizationId }: Hook, overlapSeconds: number) => {
      const { text, sealed } = newSecret(keyRing, { organizationId, webhookId: id })
      await superuser.query(
        `update webhooks set previous_secret = secret, previous_secret_key_id = secret_key_id,
           previous_secret_until = now() + make_interval(secs => $3), secret = $4, secret_key_id = $5
         where organization_id = $1 and id = $2`,
        [organizationId, id, overlapSeconds, sealed.wrapped, sealed.keyEncryptionId],
      )
      return text
    },
    ...happeningsOf(api),
    ...looksOf(superuser),
    startWorker: async (settings: Record<string, string> = {}) => {
      const worker = await WorkerProcess.start({
        env,
        settings: {
          WORKER_QUEUES: 'light',
          MEDIA_SANDBOX: 'none',
          WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
          ...settings,
        },
      })
      workers.push(worker)
      return worker
    },
    stopWorkers: () =>
      Promise.all(workers.splice(0).map((worker) => worker[Symbol.asyncDispose]())),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
      for (const database of [api, asWorker]) await database[Symbol.asyncDispose]()
      await superuser[Symbol.asyncDispose]()
    },
  }
}

/** How things stand. */
const looksOf = (superuser: Superuser) => ({
  deliveries: ({ organizationId, id }: Hook) =>
    superuser.query<Delivery>(
      `select number::int, state, attempts, refusals, extract(epoch from due_at - now())::float8 as "dueIn"
         from webhook_deliveries where organization_id = $1 and webhook_id = $2 order by number`,
      [organizationId, id],
    ),
  attempts: ({ organizationId, id }: Hook) =>
    superuser.query<Attempt>(
      `select number::int, attempt, status, answer, error, milliseconds
         from webhook_attempts where organization_id = $1 and webhook_id = $2 order by number, attempt`,
      [organizationId, id],
    ),
  state: async ({ organizationId, id }: Hook) => {
    const [row] = await superuser.query<State>(
      `select worker_id, disabled_because, silences, failing_since is not null as "isFailing",
           extract(epoch from due_at - now())::float8 as "dueIn", extract(epoch from rests_until - now())::float8 as "restsFor"
         from webhooks where organization_id = $1 and id = $2`,
      [organizationId, id],
    )
    return row
  },
})

const happeningsOf = (api: Database) => ({
  /** Events about these assets, numbered and to be told. */
  happen: async (organizationId: OrganizationId, ...assets: readonly AssetId[]) => {
    const db = api.forOrganization(organizationId)
    const data = (asset_id: AssetId) => ({ asset_id, chapters: [] })
    const events = assets.map((asset) =>
      aboutAsset(asset, { type: 'chapter.created', data: data(asset) }),
    )
    await recordEvents(db, ...events)
    await settleEvents(db, fanOut)
  },
  /** Something about no asset. */
  happenElsewhere: async (organizationId: OrganizationId) => {
    const db = api.forOrganization(organizationId)
    const id = randomUUID()
    await recordEvents(db, about(id, { type: 'token.created', data: { id, name: 'Test' } }))
    await settleEvents(db, fanOut)
  },
})
