/** How uploads react to responses that the real storage rarely sends. */
import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openScriptedServer, type ReceivedRequest, rejection } from '../../testing/scripted-server.ts'
import { ConnectionError, ServerError } from '../http/errors.ts'
import { FileChangedError, StorageError } from './errors.ts'

const input = { title: 'Lecture', resolutions: ['360p' as const] }
const FILE_BYTES = 40
const file = new Blob(['x'.repeat(FILE_BYTES)])

type Reply = { readonly status: number; readonly text?: string }

/** Starts a server that is both service and storage. The response to the form is given; parts have 16 bytes. */
async function openUploadServer(
  form: Reply | 'hang' | 'disconnect',
  session: object = {},
  completed: object = {},
  address = (number: number, url: string) => `${url}/part-${number}`,
) {
  const reply = ({ method, path, body }: ReceivedRequest, url: string): object | Reply => {
    if (method === 'PUT') return { status: 200 }
    if (path.endsWith('/parts/') && method === 'POST') {
      const parts = (JSON.parse(body) as { numbers: number[] }).numbers.map((number) => ({
        number,
        url: address(number, url),
      }))
      return { part_size_bytes: 16, part_count: 3, parts }
    }
    if (path.endsWith('/complete/')) return { asset_id: 'asset-1', ...completed }
    if (path.endsWith('/upload-sessions/'))
      return {
        upload_session: { uuid: 'u', ...session },
        client_payload: { upload_link: `${url}/form` },
      }
    return { id: 'asset-1', bytes: FILE_BYTES }
  }
  const server = await openScriptedServer((response: ServerResponse, request) => {
    const isForm = request.path === '/form'
    if (isForm && form === 'hang') return
    if (isForm && form === 'disconnect') return void response.destroy()
    const scripted = isForm ? (form as Reply) : reply(request, server.url)
    const isReply = 'status' in scripted
    response.writeHead(isReply ? (scripted as Reply).status : 200)
    response.end(isReply ? (scripted as Reply).text : JSON.stringify(scripted))
  })
  return server
}

const refusal = (code: string) => `<Error><Code>${code}</Code></Error>`

describe('an upload whose form storage refuses', () => {
  it.each([
    [408, ''],
    [429, ''],
    [503, refusal('SlowDown')],
    [403, refusal('AccessDenied')],
    [400, refusal('RequestTimeout')],
    [400, refusal('IncompleteBody')],
  ])('is sent in parts if the error is temporary: %i %s', async (status, text) => {
    using server = await openUploadServer({ status, text })
    const asset = await server.client().uploads.send(file, input)
    expect(asset.id).toBe('asset-1')
    const puts = server.requests.filter(({ method }) => method === 'PUT')
    expect(puts.map(({ path }) => path).toSorted()).toEqual(['/part-1', '/part-2', '/part-3'])
  })

  it('fails if the error is permanent', async () => {
    using server = await openUploadServer({ status: 403, text: refusal('SignatureDoesNotMatch') })
    const error = await rejection(server.client().uploads.send(file, input))
    expect(error).toBeInstanceOf(StorageError)
    expect(server.requests.filter(({ method }) => method === 'PUT')).toEqual([])
  })
})

describe('a service that becomes unavailable during an upload', () => {
  it.each([
    ['was received', { status: 204 }],
    ['was interrupted', 'disconnect' as const],
  ])('is retried for ten minutes in total if the form %s', async (_, form) => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'performance'],
      shouldAdvanceTime: true,
    })
    onTestFinished(() => void vi.useRealTimers())
    using server = await openUploadServer(form)
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (String(url).endsWith('/complete/')) throw new TypeError('away')
      return globalThis.fetch(url, init)
    }
    const paused = Promise.withResolvers<void>()
    const onPause = () => paused.resolve()
    const sending = rejection(server.client({ fetch }).uploads.send(file, input, { onPause }))
    await paused.promise
    const startedMs = performance.now()
    await vi.runAllTimersAsync()
    expect(await sending).toBeInstanceOf(ConnectionError)
    const seconds = (performance.now() - startedMs) / 1000
    expect(seconds).toBeGreaterThan(590)
    expect(seconds).toBeLessThan(610)
  })
})

describe('an upload to storage without forms', () => {
  it('is sent in parts, however small the file is', async () => {
    using server = await openUploadServer({ status: 204 }, { parts_only: true })
    const asset = await server.client().uploads.send(file, input)
    expect(asset.id).toBe('asset-1')
    const toStorage = server.requests.map(({ path }) => path).filter((path) => /^.(form|part)/.test(path))
    expect(toStorage.toSorted()).toEqual(['/part-1', '/part-2', '/part-3'])
  })
})

describe('the parts of an upload', () => {
  const inParts = { status: 405 }

  it('are signed once each', async () => {
    using server = await openUploadServer(inParts)
    await server.client().uploads.send(file, input)
    const signed = server.requests
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/parts/'))
      .map(({ body }) => (JSON.parse(body) as { numbers: number[] }).numbers)
    expect(signed.toSorted()).toEqual([[1], [2], [3]])
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 0, -1, 2.5])(
    'are all sent, whatever partsAtOnce is: %d',
    async (partsAtOnce) => {
      using server = await openUploadServer(inParts)
      await server.client().uploads.send(file, input, { partsAtOnce })
      expect(server.requests.filter(({ method }) => method === 'PUT')).toHaveLength(3)
    },
  )
})

describe('a signed part without a URL', () => {
  it('is not sent, because in a page the request would go to the page itself', async () => {
    using server = await openUploadServer({ status: 405 }, {}, {}, () => '')
    const error = await rejection(server.client().uploads.send(file, input))
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ code: 'unexpected_response' })
    expect(server.requests.filter(({ method }) => method === 'PUT')).toEqual([])
  })
})

describe('an upload with an idempotency key of the caller', () => {
  const options = { idempotencyKey: 'lecture-1' }

  it('makes no more requests than without a key if the session is new', async () => {
    using server = await openUploadServer({ status: 204 })
    await server.client().uploads.send(file, input, options)
    const calls = server.requests.map(({ method, path }) => `${method} ${path.replace('/api/v1/acme1234', '')}`)
    expect(calls).toEqual([
      'POST /assets/upload-sessions/',
      'POST /form',
      'POST /assets/upload-sessions/u/complete/',
      'GET /assets/asset-1/',
    ])
  })

  it('looks for what an earlier run has sent if the service has seen the key before', async () => {
    using server = await openUploadServer({ status: 204 })
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (String(url).endsWith('/upload-sessions/u/')) return Response.json({ status: 'Created' })
      const response = await globalThis.fetch(url, init)
      if (init?.method !== 'POST' || !String(url).endsWith('/upload-sessions/')) return response
      return new Response(response.body, { headers: { 'idempotency-replayed': 'true' } })
    }
    await server.client({ fetch }).uploads.send(file, input, options)
    const paths = server.requests.map(({ path }) => path.replace('/api/v1/acme1234', ''))
    expect(paths.slice(0, 2)).toEqual(['/assets/upload-sessions/', '/assets/upload-sessions/u/complete/'])
    expect(paths).not.toContain('/form')
  })

  it('sends no byte before the promise of onSession is fulfilled', async () => {
    using server = await openUploadServer({ status: 204 })
    let sentBefore: string[] = []
    const onSession = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      sentBefore = server.requests.map(({ path }) => path)
    }
    await server.client().uploads.send(file, input, { ...options, onSession })
    expect(sentBefore).toEqual(['/api/v1/acme1234/assets/upload-sessions/'])
  })
})

describe('a page on plain http', () => {
  it('uploads with an idempotency key', async () => {
    // In pages on plain http, Web Crypto has only `getRandomValues`.
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    onTestFinished(() => void vi.unstubAllGlobals())
    using server = await openUploadServer({ status: 405 }, { parts_only: true })
    await server.client().uploads.send(file, input)
    expect(server.requests[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('the default title of an upload', () => {
  it('is the file name without invalid characters', async () => {
    using server = await openUploadServer({ status: 204 })
    const named = new File(['x'.repeat(FILE_BYTES)], 'Talk\u001b[31m\n1.final.mp4')
    await server.client().uploads.send(named, { resolutions: ['360p'] })
    const [created] = server.requests
    expect(JSON.parse(created?.body ?? '')).toMatchObject({ title: 'Talk [31m 1.final' })
  })
})

describe('the form of an upload', () => {
  it('escapes the file name like browsers do', async () => {
    using server = await openUploadServer({ status: 204 })
    const named = new File(['x'.repeat(FILE_BYTES)], 'Vídeo "1"\r\n\ud800.mp4')
    await server.client().uploads.send(named, input)
    const form = server.requests.find(({ path }) => path === '/form')
    expect(form?.body).toContain('filename="Vídeo %221%22%0D%0A\ufffd.mp4"\r\n')
  })

  it('times out after the timeout of the client', async () => {
    using server = await openUploadServer('hang')
    const client = server.client({ timeoutSeconds: 0.2 })
    const asset = await client.uploads.send(file, input)
    expect(asset.id).toBe('asset-1')
  })
})

describe('the asset returned by an upload', () => {
  const asked = (server: Awaited<ReturnType<typeof openUploadServer>>) =>
    server.requests.filter(({ method }) => method === 'GET').map(({ path }) => path)

  it('comes from the response of complete/', async () => {
    const asset = { id: 'asset-1', title: 'As completed', bytes: FILE_BYTES }
    using server = await openUploadServer({ status: 204 }, {}, { asset })
    expect(await server.client().uploads.send(file, input)).toEqual(asset)
    expect(asked(server)).toEqual([])
  })

  it('is read with a separate call if an older service does not return it', async () => {
    using server = await openUploadServer({ status: 204 })
    expect((await server.client().uploads.send(file, input)).id).toBe('asset-1')
    expect(asked(server)).toEqual(['/api/v1/acme1234/assets/asset-1/'])
  })

  it('must have the same size as the file', async () => {
    const asset = { id: 'asset-1', bytes: FILE_BYTES - 1 }
    using server = await openUploadServer({ status: 204 }, {}, { asset })
    const error = await rejection(server.client().uploads.send(file, input))
    expect(error).toBeInstanceOf(FileChangedError)
  })
})
