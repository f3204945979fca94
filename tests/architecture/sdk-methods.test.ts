/** Every operation of the contract has an SDK method that sends the documented request. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operations } from '@reelkeep/contract'
import { Reelkeep } from 'reelkeep'
import { afterAll, describe, expect, it } from 'vitest'

type OperationId = (typeof operations)[number]['id']

/** SDK methods that combine several operations, or use none. */
const composed = [
  'assets.waitUntilPlayable',
  'assets.waitUntilCompleted',
  'uploads.send',
  'uploads.resume',
  'webhooks.verify',
]

const named = { title: 'Lectures' }
const chapters = { chapters: [{ title: 'Interview', start_time: '00:01:30' }] }

/** The SDK method of each operation, with valid arguments. */
const methods: Record<OperationId, readonly [method: string, ...given: unknown[]]> = {
  createUploadSession: ['uploadSessions.create', { ...named, resolutions: ['360p'] }],
  listUploadSessions: ['uploadSessions.list', { status: 'Created' }],
  readUploadSession: ['uploadSessions.read', 's1'],
  cancelUploadSession: ['uploadSessions.cancel', 's1'],
  renewUploadSession: ['uploadSessions.renew', 's1'],
  signUploadParts: ['uploadSessions.signParts', 's1', { file_size_bytes: 9, numbers: [1] }],
  listUploadParts: ['uploadSessions.listParts', 's1'],
  completeUploadSession: ['uploadSessions.complete', 's1'],
  listAssets: ['assets.list', { folder: 'root' }],
  readAsset: ['assets.read', 'a1'],
  renameAsset: ['assets.rename', 'a1', named],
  moveAsset: ['assets.move', 'a1', { folder: null }],
  deleteAsset: ['assets.delete', 'a1'],
  cancelAsset: ['assets.cancel', 'a1'],
  retryAsset: ['assets.retry', 'a1'],
  readAssetTimeline: ['assets.readTimeline', 'a1'],
  readAssetPlan: ['assets.readPlan', 'a1'],
  addChapters: ['chapters.add', 'a1', chapters],
  listChapters: ['chapters.list', 'a1', { limit: 5 }],
  deleteChapter: ['chapters.delete', 'a1', 7],
  editChapter: ['chapters.edit', 'a1', 7, named],
  replaceChapters: ['chapters.replace', 'a1', chapters],
  importChapters: ['chapters.import', 'a1', { format: 'lines', text: '0:00 Begin' }],
  exportChapters: ['chapters.export', 'a1', { format: 'lines' }],
  readFoundChapters: ['chapters.readFound', 'a1'],
  addSubtitle: ['subtitles.add', 'a1', { language: 'de', content: 'WEBVTT' }],
  listSubtitles: ['subtitles.list', 'a1', { limit: 5 }],
  readSubtitle: ['subtitles.read', 'a1', 't1'],
  deleteSubtitle: ['subtitles.delete', 'a1', 't1'],
  createAccessToken: ['accessTokens.create', 'a1', { single_use: true }],
  listAccessTokens: ['accessTokens.list', 'a1', { limit: 5 }],
  readAccessToken: ['accessTokens.read', 'a1', 't1'],
  revokeAccessToken: ['accessTokens.revoke', 'a1', 't1'],
  revokeAllAccessTokens: ['accessTokens.revokeAll'],
  createSigningKey: ['signingKeys.create', { name: 'Shop' }],
  listSigningKeys: ['signingKeys.list', { limit: 5 }],
  deleteSigningKey: ['signingKeys.delete', 'k1'],
  listEvents: ['events.list', { after: 41 }],
  streamEvents: ['events.stream', { after: 41 }],
  createWebhook: ['webhooks.create', { url: 'https://receiver.example/' }],
  listWebhooks: ['webhooks.list', { limit: 5 }],
  readWebhook: ['webhooks.read', 'w1'],
  updateWebhook: ['webhooks.update', 'w1', { enabled: false }],
  deleteWebhook: ['webhooks.delete', 'w1'],
  rotateWebhookSecret: ['webhooks.rotateSecret', 'w1', { overlap_seconds: 0 }],
  testWebhook: ['webhooks.test', 'w1'],
  listDeliveries: ['webhookDeliveries.list', 'w1', { state: 'failed' }],
  readDelivery: ['webhookDeliveries.read', 'w1', 'e1'],
  replayDelivery: ['webhookDeliveries.replay', 'w1', 'e1'],
  replayEvents: ['webhooks.replay', 'w1', { after: 0 }],
  createFolder: ['folders.create', named],
  listFolders: ['folders.list', { parent: 'root' }],
  readFolderTree: ['folders.tree', { depth: 2 }],
  readFolder: ['folders.read', 'f1'],
  renameFolder: ['folders.rename', 'f1', named],
  moveFolder: ['folders.move', 'f1', { parent: null }],
  previewFolderDeletion: ['folders.previewDeletion', 'f1'],
  deleteFolder: ['folders.delete', 'f1', { recursive: true }],
  createToken: ['tokens.create', { name: 'CI', scopes: ['assets:read'] }],
  listTokens: ['tokens.list', { limit: 5 }],
  readCurrentToken: ['tokens.readCurrent'],
  readToken: ['tokens.read', 't1'],
  rotateToken: ['tokens.rotate', 't1', { overlap_seconds: 60 }],
  revokeToken: ['tokens.revoke', 't1'],
}

type Heard = { method: string; path: string; query: Record<string, string>; body: unknown }
let heard: Heard | undefined

/** Responds to every request; a list has no items, and a stream has one event. */
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString()
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://server')
  heard = {
    method: request.method ?? '',
    path: pathname.replace('/api/v1/acme1234', ''),
    query: Object.fromEntries(searchParams),
    body: body && JSON.parse(body),
  }
  if (pathname.endsWith('/stream/'))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {}\n\n')
  else response.end(JSON.stringify({ results: [], next: null, has_more: false }))
}

const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => server.close())

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const client = new Reelkeep({ url, organization: 'acme1234', token: 'secret' })

type Method = (...given: unknown[]) => PromiseLike<unknown> | AsyncGenerator
const resources = client as unknown as Record<string, Record<string, Method>>
const offered = Object.entries(resources).flatMap(([resource, its]) =>
  Object.keys(its).map((method) => `${resource}.${method}`),
)

describe('every operation of the contract', () => {
  it.each(operations.map((operation) => [operation.id, operation] as const))(
    'has an SDK method that sends the documented request: %s',
    async (id, operation) => {
      const [name, ...given] = methods[id] ?? []
      const [resource = '', method = ''] = name?.split('.') ?? []
      heard = undefined
      const result = resources[resource]?.[method]?.(...given)
      await (result && 'next' in result ? result.next() : result)

      const identifiers = given.filter((value) => typeof value !== 'object')
      const { body, query } = operation
      const rest = given.find((value) => typeof value === 'object')
      expect(heard).toEqual({
        method: operation.method,
        path: operation.path.replace(/:\w+/g, () => String(identifiers.shift())),
        query: body ? {} : asText(rest ?? {}),
        body: body ? rest : '',
      })
      expect(Object.keys(query.properties)).toEqual(expect.arrayContaining(body ? [] : Object.keys(rest ?? {})))
    },
  )

  it('has exactly one SDK method; the only other methods are combinations of operations', () => {
    const called = Object.values(methods).map(([name]) => name)
    expect(offered.filter((name) => !composed.includes(name)).sort()).toEqual(called.sort())
  })
})

const asText = (query: object) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
