/**
 * Random requests to every operation, generated from its schemas. `RANDOM_REQUESTS` sets their number, and
 * `RANDOM_SEED` repeats a run.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type folders,
  operations,
  type tokens,
  type uploadSessions,
  type webhookDeliveries,
  type webhooks,
} from '@reelkeep/contract'
import {
  type Answer,
  type Caller,
  openSession,
  probedAsset,
  randomRun,
  TestApi,
} from '@reelkeep/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Chosen, type RandomRequest, requestFor } from './request-arbitrary.ts'
import { bodyFaultOf, faultOf } from './response-check.ts'

const AT_ONCE = 12

let testApi: TestApi
let own: Caller
let foreign: Caller
let weak: Caller
/** Known resources. The tokens in use are not included, so they are never revoked. */
const things: Record<string, string[]> = {
  folder_uuid: [],
  token_id: [],
  asset_id: [],
  session_uuid: [],
  chapter_id: ['1', '2', '3', '4', '5'],
  webhook_id: [],
  delivery_id: [],
}
/** By the name of the path parameter. */
function add(parameter: string, name: string | undefined): void {
  const known = things[parameter]
  if (known === undefined || name === undefined) return
  known.push(name)
  // Drops the oldest.
  if (known.length > 60) known.shift()
}
beforeAll(async () => {
  testApi = await TestApi.open({
    TRUSTED_PROXY_HOPS: '1',
    // The test waits for the end of each stream; most are refused.
    EVENT_STREAMS_PER_ORGANIZATION_MAX: '2',
  })
  own = await testApi.newOrganization()
  foreign = await testApi.newOrganization()
  const wish = { name: 'Weak', scopes: ['folders:read'] }
  weak = own.withToken((await own.post<tokens.NewToken>('tokens/', wish)).body.token)
  for (let number = 0; number < 40; number++) {
    const parent = number % 3 ? things['folder_uuid']?.at(-1) : null
    const wished = { title: `Folder ${number}`, parent }
    const { uuid: folder } = (await own.post<folders.Folder>('assets/folders/', wished)).body
    add('folder_uuid', folder)
    const token = { name: `Token ${number}`, scopes: ['folders:read'] }
    add('token_id', (await own.post<tokens.NewToken>('tokens/', token)).body.id)
    const { asset, upload_session } = await (number % 2
      ? openSession(own, { folder })
      : probedAsset(own, { durationSeconds: 359_999.5 }))
    add('asset_id', asset.id)
    add('session_uuid', upload_session.uuid)
  }
  for (let number = 0; number < 9; number++) await addDelivery()
})
afterAll(() => testApi[Symbol.asyncDispose]())

async function addDelivery(): Promise<void> {
  const wish = { url: 'https://receiver.example/' }
  const { id } = (await own.post<webhooks.NewWebhook>('webhooks/', wish)).body
  add('webhook_id', id)
  const test = await own.post<webhookDeliveries.Delivery>(`webhooks/${id}/test/`)
  add('delivery_id', test.body.event_id)
}

type Made = {
  uuid?: string
  id?: string
  secret?: string
  event_id?: string
} & Partial<uploadSessions.NewUploadSession>

/** Created resources are used by later requests. */
function remember({ status, text }: Answer) {
  if (status !== 201) return
  const made = JSON.parse(text) as Made
  add('folder_uuid', made.uuid)
  add('token_id', made.id)
  add('asset_id', made.asset?.id)
  add('session_uuid', made.upload_session?.uuid)
  if (made.secret) add('webhook_id', made.id)
  add('delivery_id', made.event_id)
}

const isChosen = (part: object): part is Chosen => 'nth' in part

function pathOf({ operation, organization, segments, query }: RandomRequest): string {
  const texts = { own: own.organizationId, foreign: foreign.organizationId }
  const first = typeof organization === 'string' ? texts[organization] : organization.text
  const rest = operation.path.replace(/:(\w+)/g, (_, name: string) => {
    const segment = segments[name] ?? { nth: 0 }
    if (!isChosen(segment)) return segment.text
    const known = things[name] ?? []
    return known[segment.nth % known.length] ?? 'x'
  })
  return `/api/v1/${first}${rest}${query && `?${query}`}`
}

function authorizationOf({ authorization }: RandomRequest): Record<string, string> {
  const texts = {
    own: `token ${own.token}`,
    bearer: `Bearer ${own.token}`,
    weak: `token ${weak.token}`,
    foreign: `token ${foreign.token}`,
    none: undefined,
  }
  const text = typeof authorization === 'string' ? texts[authorization] : authorization.text
  return text === undefined ? {} : { authorization: text }
}

const isStray = ({ organization, segments }: RandomRequest) =>
  [organization, ...Object.values(segments)].some(
    (part) => typeof part === 'object' && 'isStrange' in part && part.isStrange,
  )

const hasPlainJson = ({ headers, body }: RandomRequest) =>
  headers['content-type'] === 'application/json' && body !== undefined && body !== ''

async function check(request: RandomRequest, tally: (status: number) => void) {
  const { operation, body, headers } = request
  const sent = {
    method: operation.method,
    path: pathOf(request),
    headers: { ...headers, ...authorizationOf(request) },
    body,
  }
  const first = await testApi.send(sent)
  // On a busy machine Postgres or storage may stall: a request that gets 503 is retried once.
  const retrySeconds = first.status === 503 ? Number(first.headers['retry-after']) : Number.NaN
  if (retrySeconds > 0) await sleep(retrySeconds * 1000)
  const answer = retrySeconds > 0 ? await testApi.send(sent) : first
  tally(answer.status)
  remember(answer)
  const where = { isStray: isStray(request) }
  const fault = faultOf(operation, answer, where)
  if (fault || where.isStray || !operation.body || !hasPlainJson(request)) return fault
  // The query is validated before the body.
  return request.query === '' ? bodyFaultOf(operation, body ?? '', answer) : undefined
}

function show(request: RandomRequest): string {
  const { operation, headers, body } = request
  const shown = JSON.stringify({ headers, body: body?.slice(0, 300) })
  return `${operation.method} ${pathOf(request)} ${shown}`
}

it('every response conforms to the contract, and none is a 500', async () => {
  const { seed, requests: numRuns } = randomRun
  const arbitrary = fc.oneof(...operations.map((operation) => requestFor(operation)))
  const requests = fc.sample(arbitrary, { seed, numRuns })
  const tallies: Record<string, Record<string, number>> = {}
  const faults = new Map<string, { count: number; example: string }>()
  let next = 0
  const work = async () => {
    for (let request = requests[next++]; request; request = requests[next++]) {
      const { id } = request.operation
      const fault = await check(request, (status) => {
        const tally = tallies[id] ?? {}
        tallies[id] = { ...tally, [status]: (tally[status] ?? 0) + 1 }
      })
      if (fault === undefined) continue
      const known = faults.get(`${id}: ${fault}`)
      faults.set(`${id}: ${fault}`, {
        count: (known?.count ?? 0) + 1,
        example: known?.example ?? show(request),
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  process.stdout.write(`${numRuns} requests, RANDOM_SEED=${seed}\n${toTable(tallies)}\n`)
  expect(Object.fromEntries(faults)).toEqual({})
}, 600_000)

function toTable(tallies: Record<string, Record<string, number>>): string {
  const lines = Object.entries(tallies).map(([id, tally]) => {
    const cells = Object.entries(tally).map(([status, count]) => `${status}: ${count}`)
    return `  ${id.padEnd(22)} ${cells.join('  ')}`
  })
  return lines.sort().join('\n')
}
