/** Organizations with four webhooks each, one for each kind of change, so every change is delivered to one receiver. */
import type { events, folders, webhooks } from '@reelkeep/contract'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  openSession,
  resetDatabase,
  type StackEnv,
  setUpUploads,
  startStack,
  withDatabase,
} from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { startBareServer } from '../support/compare.ts'
import { cpuSecondsOf, postmasterOf } from '../support/cpu-time.ts'
import { inFlight } from '../support/in-flight.ts'

/** Kinds of changes; each causes one event. */
const kinds = ['folder.created', 'folder.updated', 'asset.updated', 'token.created'] as const
type Kind = (typeof kinds)[number]

/** One receiver in this many never responds. */
const RECEIVERS_PER_HANGING = 100
const SETUP_CONCURRENCY = 8

export const webhookSettings = {
  WEBHOOK_DEVELOPMENT_NETWORKS: '127.0.0.0/8:*',
  DATABASE_CONNECTIONS_MAX: '16',
}

type Member = {
  readonly caller: Caller
  readonly folder: string
  readonly asset: string
  readonly urls: Record<Kind, string>
}

/** The result of a change: delivered to a receiver that responds or hangs, or rejected by the overloaded API. */
export type Change = 'responding' | 'hanging' | 'rejected'

/** Times of arrival and of writing the event, in milliseconds since 1970. */
type BenchArrival = { readonly at: number; readonly writtenAt: number }

export type WebhookFixture = Awaited<ReturnType<typeof openWebhookFixture>>

export async function openWebhookFixture(receivers: number) {
  const env = withDatabase(await startStack(), 'bench_webhooks')
  await resetDatabase(env)
  await setUpUploads(env)
  // A port that the servers of the stack do not use.
  const port = Number(stackEnvironment.STACK_PORT) + 45
  const receiversProcess = await startBareServer('../webhooks/webhook-receivers.ts', [String(port)])
  const api = await ApiProcess.start(webhookSettings, env)
  const members = await newMembers(env, api, receivers, port)
  const memberOf = (number: number) => members[number % members.length] as Member
  const kindOf = (number: number) => kinds[Math.floor(number / members.length) % kinds.length] as Kind
  return {
    env,
    apiCpuSeconds: () => cpuSecondsOf(api.child.pid ?? 0),
    postmaster: await postmasterOf(env.DATABASE_SUPERUSER_URL),
    hanging: members.flatMap(({ urls }) => Object.values(urls)).filter(isHanging).length,
    /**
     * Makes the change with this number, which the event contains. Rotates through the organizations, and through the
     * kinds of change.
     */
    change: async (number: number): Promise<Change> => {
      const [member, kind] = [memberOf(number), kindOf(number)]
      if (!(await applyChange(member, kind, `Event ${number}`))) return 'rejected'
      return isHanging(member.urls[kind]) ? 'hanging' : 'responding'
    },
    /** Returns the first arrival of each event, by the number of the change. */
    arrivals: async (): Promise<Map<number, BenchArrival>> => {
      const response = await fetch(`http://127.0.0.1:${port}/arrivals`)
      const arrivals = (await response.json()) as [number, number, number][]
      return new Map(arrivals.toReversed().map(([number, at, writtenAt]) => [number, { at, writtenAt }]))
    },
    /** Returns the URLs and bodies of all deliveries, from the change with this number on. */
    posts: async (from: number) => {
      const logs = await Promise.all(members.map((member) => postsOf(member, from)))
      return logs.flat().filter(([url]) => !isHanging(url))
    },
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]()
      receiversProcess[Symbol.dispose]()
    },
  }
}

const isHanging = (url: string) => url.endsWith('/hangs')

async function newMembers(env: StackEnv, api: ApiProcess, receivers: number, port: number) {
  await using owner = openOwner(env)
  const members: Member[] = []
  const count = Math.ceil(receivers / kinds.length)
  const numbers = Array.from({ length: count }, (_, number) => number)
  await inFlight(numbers, SETUP_CONCURRENCY, async (number) => {
    const { organizationId, token } = await newOrganization(owner)
    const caller = new Caller(api.send, organizationId, token)
    const { body: folder } = await caller.post<folders.Folder>('assets/folders/', { title: 'Old' })
    const { asset } = await openSession(caller)
    const urls = {} as Record<Kind, string>
    for (const [index, kind] of kinds.entries()) {
      urls[kind] = addressOf(number * kinds.length + index, port)
      await createWebhook(caller, urls[kind], kind)
    }
    members.push({ caller, folder: folder.uuid, asset: asset.id, urls })
  })
  return members
}

/** Returns the URL of a receiver; each receiver has its own host. */
function addressOf(receiver: number, port: number): string {
  const host = `127.1.${Math.floor(receiver / 250)}.${(receiver % 250) + 1}`
  return `http://${host}:${port}/${receiver % RECEIVERS_PER_HANGING === 0 ? 'hangs' : 'answers'}`
}

async function createWebhook(caller: Caller, url: string, kind: Kind): Promise<void> {
  const { status, text } = await caller.post<webhooks.NewWebhook>('webhooks/', {
    url,
    types: [kind],
  })
  if (status !== 201) throw new Error(`Cannot create a webhook: ${text}`)
}

/** Makes the change. Returns false if the overloaded API rejects it. */
async function applyChange({ caller, folder, asset }: Member, kind: Kind, title: string): Promise<boolean> {
  const changes = {
    'folder.created': () => caller.post('assets/folders/', { title }),
    'folder.updated': () => caller.patch(`assets/folders/${folder}/`, { title }),
    'asset.updated': () => caller.patch(`assets/${asset}/`, { title }),
    'token.created': () => caller.post('tokens/', { name: title, scopes: ['folders:read'] }),
  }
  const { status, text } = await changes[kind]()
  if (status >= 300 && status !== 503) throw new Error(`${kind}: ${text}`)
  return status < 300
}

const LOG_PAGES_MAX = 100

async function postsOf({ caller, urls }: Member, from: number): Promise<[string, string][]> {
  const posts: [string, string][] = []
  let after = 0
  for (let page = 0; page < LOG_PAGES_MAX; page++) {
    const { body } = await caller.get<LogPage>(`events/?after=${after}&limit=1000`)
    for (const event of body.results) {
      const url = urls[event.type as Kind]
      const text = JSON.stringify(event)
      const [, number] = /Event (\d+)/.exec(text) ?? []
      if (url && Number(number) >= from) posts.push([url, text])
    }
    after = body.after
    if (!body.has_more) break
  }
  return posts
}

type LogPage = { after: number; has_more: boolean; results: events.Event[] }
