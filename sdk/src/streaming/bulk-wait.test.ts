import { expect, it } from 'vitest'
import { WaitTimeoutError } from '../http/errors.ts'
import { Reelkeep } from '../reelkeep.ts'

/** A client of a server that sends these responses one after the other, the last one again and again. */
function clientOf(...responses: readonly { readonly status?: number; readonly body: object }[]) {
  const requests: string[] = []
  const answer = async (url: unknown, init?: RequestInit) => {
    requests.push(`${init?.method ?? 'GET'} ${new URL(String(url)).pathname} ${String(init?.body ?? '')}`.trim())
    const { status = 200, body } = responses[Math.min(requests.length, responses.length) - 1] ?? { body: {} }
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
  }
  const settings = { url: 'http://server', organization: 'acme1234', token: 'secret', retriesMax: 0 }
  return { client: new Reelkeep({ ...settings, fetch: answer as typeof fetch }), requests }
}

const operation = (done: number, finished_at: string | null = null) => ({
  body: { id: 'one', progress: { total: 2, done, failed: 0 }, finished_at },
})

it('waitUntilFinished reads the operation until it has ended, also if the service is unavailable meanwhile', async () => {
  const unavailable = { status: 503, body: { code: 'unavailable', detail: 'x', errors: [] } }
  const { client } = clientOf(operation(0), unavailable, operation(1), operation(2, '2026-11-18T00:00:00.000000Z'))
  const done: number[] = []
  const finished = await client.bulkOperations.waitUntilFinished('one', {
    onProgress: ({ progress }) => done.push(progress.done),
  })
  expect([finished.progress.done, done]).toEqual([2, [0, 1, 2]])
})

it('waitUntilFinished rejects after its timeout', async () => {
  const { client } = clientOf(operation(0))
  const waiting = client.bulkOperations.waitUntilFinished('one', { timeoutSeconds: 0.1 })
  await expect(waiting).rejects.toThrow(WaitTimeoutError)
})

it('preview sends the operation as a dry run', async () => {
  const { client, requests } = clientOf({ body: { dry_run: true, count: 3, sample: [] } })
  const preview = await client.bulkOperations.preview({ action: 'delete', filter: {} })
  expect(preview.count).toBe(3)
  expect(requests).toEqual(['POST /api/v1/acme1234/bulk-operations/ {"action":"delete","filter":{},"dry_run":true}'])
})
