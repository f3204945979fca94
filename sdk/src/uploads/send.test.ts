/** What an upload makes of answers that the real storage gives too seldom to wait for them. */
import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Heard, openScriptedServer, rejection } from '../../testing/scripted-server.ts'
import { ConnectionError, ServerError } from '../http/errors.ts'
import { FileChangedError, StorageError } from './errors.ts'

const wish = { title: 'Lecture', resolutions: ['360p' as const] }
const FILE_BYTES = 40
const file = new Blob(['x'.repeat(FILE_BYTES)])

type Reply = { readonly status: number; readonly text?: string }

/** Service and storage in one: storage refuses the form this way, and takes parts of sixteen bytes. */
async function openUploadServer(
  form: Reply | 'silence' | 'cut',
  session: object = {},
  completed: object = {},
  address = (number: number, url: string) => `${url}/part-${number}`,
) {
  const reply = ({ method, path, body }: Heard, url: string): object | Reply => {
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
  const server = await openScriptedServer((response: ServerResponse, heard) => {
    const isForm = heard.path === '/form'
    if (isForm && form === 'silence') return
    if (isForm && form === 'cut') return void response.destroy()
    const answer = isForm ? (form as Reply) : reply(heard, server.url)
    const isReply = 'status' in answer
    response.writeHead(isReply ? (answer as Reply).status : 200)
    response.end(isReply ? (answer as Reply).text : JSON.stringify(answer))
  })
  return server
}

const refusal = (code: string) => `<Error><Code>${code}</Code></Error>`

describe('a form that storage refuses', () => {
  it.each([
    [408, ''],
    [429, ''],
    [503, refusal('SlowDown')],
    [403, refusal('AccessDenied')],
    [400, refusal('RequestTimeout')],
    [400, refusal('IncompleteBody')],
  ])('for now is followed by parts: %i %s', async (status, text) => {
    using server = await openUploadServer({ status, text })
    const asset = await server.client().uploads.send(file, wish)
    expect(asset.id).toBe('asset-1')
    const puts = server.heard.filter(({ method }) => method === 'PUT')
    expect(puts.map(({ path }) => path).toSorted()).toEqual(['/part-1', '/part-2', '/part-3'])
  })

  it('for good is told', async () => {
    using server = await openUploadServer({ status: 403, text: refusal('SignatureDoesNotMatch') })
    const error = await rejection(server.client().uploads.send(file, wish))
    expect(error).toBeInstanceOf(StorageError)
    expect(server.heard.filter(({ method }) => method === 'PUT')).toEqual([])
  })
})

describe('a service that goes away after it has created the session', () => {
  it.each([
    ['has arrived', { status: 204 }],
    ['was broken off', 'cut' as const],
  ])('is waited for ten minutes, once, when the form %s', async (_, form) => {
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
    const sending = rejection(server.client({ fetch }).uploads.send(file, wish, { onPause }))
    await paused.promise
    const beganMs = performance.now()
    await vi.runAllTimersAsync()
    expect(await sending).toBeInstanceOf(ConnectionError)
    const seconds = (performance.now() - beganMs) / 1000
    expect(seconds).toBeGreaterThan(590)
    expect(seconds).toBeLessThan(610)
  })
})

describe('a service whose storage takes no forms', () => {
  it('is sent parts at once, however small the file is', async () => {
    using server = await openUploadServer({ status: 204 }, { parts_only: true })
    const asset = await server.client().uploads.send(file, wish)
    expect(asset.id).toBe('asset-1')
    const toStorage = server.heard
      .map(({ path }) => path)
      .filter((path) => /^.(form|part)/.test(path))
    expect(toStorage.toSorted()).toEqual(['/part-1', '/part-2', '/part-3'])
  })
})

describe('parts', () => {
  const inParts = { status: 405 }

  it('are signed once each', async () => {
    using server = await openUploadServer(inParts)
    await server.client().uploads.send(file, wish)
    const signed = server.heard
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/parts/'))
      .map(({ body }) => (JSON.parse(body) as { numbers: number[] }).numbers)
    expect(signed.toSorted()).toEqual([[1], [2], [3]])
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 0, -1, 2.5])(
    'are sent however many are to be sent at once: %d',
    async (partsAtOnce) => {
      using server = await openUploadServer(inParts)
      await server.client().uploads.send(file, wish, { partsAtOnce })
      expect(server.heard.filter(({ method }) => method === 'PUT')).toHaveLength(3)
    },
  )
})

describe('a part that is signed without an address', () => {
  it('goes nowhere: in a page it would go to the page', async () => {
    using server = await openUploadServer({ status: 405 }, {}, {}, () => '')
    const error = await rejection(server.client().uploads.send(file, wish))
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ code: 'unexpected_answer' })
    expect(server.heard.filter(({ method }) => method === 'PUT')).toEqual([])
  })
})

describe('a page on plain http', () => {
  it('uploads with a key of its own', async () => {
    // Only pages on https have more of it.
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    onTestFinished(() => void vi.unstubAllGlobals())
    using server = await openUploadServer({ status: 405 }, { parts_only: true })
    await server.client().uploads.send(file, wish)
    expect(server.heard[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('the title of an upload', () => {
  it('is made of the file’s name, without what no title may hold', async () => {
    using server = await openUploadServer({ status: 204 })
    const named = new File(['x'.repeat(FILE_BYTES)], 'Talk\u001b[31m\n1.final.mp4')
    await server.client().uploads.send(named, { resolutions: ['360p'] })
    const [created] = server.heard
    expect(JSON.parse(created?.body ?? '')).toMatchObject({ title: 'Talk [31m 1.final' })
  })
})

describe('a form', () => {
  it('names the file as browsers do, whatever its name', async () => {
    using server = await openUploadServer({ status: 204 })
    const named = new File(['x'.repeat(FILE_BYTES)], 'Vídeo "1"\r\n\ud800.mp4')
    await server.client().uploads.send(named, wish)
    const form = server.heard.find(({ path }) => path === '/form')
    expect(form?.body).toContain('filename="Vídeo %221%22%0D%0A\ufffd.mp4"\r\n')
  })

  it('on which nothing moves is given up after the time limit of the client', async () => {
    using server = await openUploadServer('silence')
    const client = server.client({ timeoutSeconds: 0.2 })
    const asset = await client.uploads.send(file, wish)
    expect(asset.id).toBe('asset-1')
  })
})

describe('the asset of an upload', () => {
  const asked = (server: Awaited<ReturnType<typeof openUploadServer>>) =>
    server.heard.filter(({ method }) => method === 'GET').map(({ path }) => path)

  it('is what completing answers: nobody asks for it', async () => {
    const asset = { id: 'asset-1', title: 'As completed', bytes: FILE_BYTES }
    using server = await openUploadServer({ status: 204 }, {}, { asset })
    expect(await server.client().uploads.send(file, wish)).toEqual(asset)
    expect(asked(server)).toEqual([])
  })

  it('is asked for where an older service does not answer it', async () => {
    using server = await openUploadServer({ status: 204 })
    expect((await server.client().uploads.send(file, wish)).id).toBe('asset-1')
    expect(asked(server)).toEqual(['/api/v1/acme1234/assets/asset-1/'])
  })

  it('is held against the file', async () => {
    const asset = { id: 'asset-1', bytes: FILE_BYTES - 1 }
    using server = await openUploadServer({ status: 204 }, {}, { asset })
    const error = await rejection(server.client().uploads.send(file, wish))
    expect(error).toBeInstanceOf(FileChangedError)
  })
})
