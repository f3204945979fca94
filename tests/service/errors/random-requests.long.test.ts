/**
 * Sends random requests to every operation, generated from its schemas. The variable `RANDOM_REQUESTS` sets the number
 * of requests; a run can be repeated with its `RANDOM_SEED`.
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
import { type Caller, type HttpResponse, openSession, probedAsset, randomRun, TestApi } from '@reelkeep/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Chosen, type RandomRequest, requestFor } from './request-arbitrary.ts'
import { bodyViolationOf, violationOf } from './response-check.ts'

const AT_ONCE = 12

let testApi: TestApi
let own: Caller
let foreign: Caller
let weak: Caller
/** Known resources by path parameter. The tokens in use are not included, so they are never revoked. */
const resources: Record<string, string[]> = {
  folder_uuid: [],
  token_id: [],
  asset_id: [],
  session_uuid: [],
  chapter_id: ['1', '2', '3', '4', '5'],
  version_number: ['1', '2', '3'],
  webhook_id: [],
  delivery_id: [],
  bulk_operation_id: [],
}
function add(parameter: string, name: string | undefined): void {
  const known = resources[parameter]
  if (known === undefined || name === undefined) return
  known.push(name)
  // Keeps only the 60 newest resources.
  if (known.length > 60) known.shift()
}
beforeAll(async () => {
  testApi = await TestApi.open({
    TRUSTED_PROXY_HOPS: '1',
    // The test waits for the end of each event stream, so few streams are allowed and most are rejected.
    EVENT_STREAMS_PER_ORGANIZATION_MAX: '2',
  })
  own = await testApi.newOrganization()
  foreign = await testApi.newOrganization()
  const input = { name: 'Weak', scopes: ['folders:read'] }
  weak = own.withToken((await own.post<tokens.NewToken>('tokens/', input)).body.token)
  for (let number = 0; number < 40; number++) {
    const parent = number % 3 ? resources['folder_uuid']?.at(-1) : null
    const folderInput = { title: `Folder ${number}`, parent }
    const { uuid: folder } = (await own.post<folders.Folder>('assets/folders/', folderInput)).body
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
  const input = { url: 'https://receiver.example/' }
  const { id } = (await own.post<webhooks.NewWebhook>('webhooks/', input)).body
  add('webhook_id', id)
  const test = await own.post<webhookDeliveries.Delivery>(`webhooks/${id}/test/`)
  add('delivery_id', test.body.event_id)
}

type Created = {
  uuid?: string
  id?: string
  secret?: string
  event_id?: string
  progress?: object
} & Partial<uploadSessions.NewUploadSession>

/** Lets later requests use the created resource. */
function addCreated({ status, text }: HttpResponse) {
  if (status !== 201) return
  const created = JSON.parse(text) as Created
  add('folder_uuid', created.uuid)
  add('token_id', created.id)
  add('asset_id', created.asset?.id)
  add('session_uuid', created.upload_session?.uuid)
  if (created.secret) add('webhook_id', created.id)
  if (created.progress) add('bulk_operation_id', created.id)
  add('delivery_id', created.event_id)
}

const isChosen = (part: object): part is Chosen => 'nth' in part

function pathOf({ operation, organization, segments, query }: RandomRequest): string {
  const texts = { own: own.organizationId, foreign: foreign.organizationId }
  const first = typeof organization === 'string' ? texts[organization] : organization.text
  const rest = operation.path.replace(/:(\w+)/g, (_, name: string) => {
    const segment = segments[name] ?? { nth: 0 }
    if (!isChosen(segment)) return segment.text
    const known = resources[name] ?? []
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
  [organization, ...Object.values(segments)].some((part) => typeof part === 'object' && 'isOdd' in part && part.isOdd)

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
  const response = retrySeconds > 0 ? await testApi.send(sent) : first
  tally(response.status)
  addCreated(response)
  const where = { isStray: isStray(request) }
  const violation = violationOf(operation, response, where)
  if (violation || where.isStray || !operation.body || !hasPlainJson(request)) return violation
  // The query is validated before the body.
  return request.query === '' ? bodyViolationOf(operation, body ?? '', response) : undefined
}

function show(request: RandomRequest): string {
  const { operation, headers, body } = request
  const shown = JSON.stringify({ headers, body: body?.slice(0, 300) })
  return `${operation.method} ${pathOf(request)} ${shown}`
}

it('every response to a random request conforms to the contract, and none has the status 500', async () => {
  const { seed, requests: numRuns } = randomRun
  const arbitrary = fc.oneof(...operations.map((operation) => requestFor(operation)))
  const requests = fc.sample(arbitrary, { seed, numRuns })
  const tallies: Record<string, Record<string, number>> = {}
  const violations = new Map<string, { count: number; example: string }>()
  let next = 0
  const work = async () => {
    for (let request = requests[next++]; request; request = requests[next++]) {
      const { id } = request.operation
      const violation = await check(request, (status) => {
        const tally = tallies[id] ?? {}
        tallies[id] = { ...tally, [status]: (tally[status] ?? 0) + 1 }
      })
      if (violation === undefined) continue
      const known = violations.get(`${id}: ${violation}`)
      violations.set(`${id}: ${violation}`, {
        count: (known?.count ?? 0) + 1,
        example: known?.example ?? show(request),
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  process.stdout.write(`${numRuns} requests, RANDOM_SEED=${seed}\n${toTable(tallies)}\n`)
  expect(Object.fromEntries(violations)).toEqual({})
}, 600_000)

function toTable(tallies: Record<string, Record<string, number>>): string {
  const lines = Object.entries(tallies).map(([id, tally]) => {
    const cells = Object.entries(tally).map(([status, count]) => `${status}: ${count}`)
    return `  ${id.padEnd(22)} ${cells.join('  ')}`
  })
  return lines.sort().join('\n')
}
