/** Tests health checks and metrics on the operations port. */
import { ApiProcess, type Caller, newCaller } from '@reelkeep/testkit'
import { InProcessApi } from '@reelkeep/testkit/in-process-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callEveryOperation, operationOf, tokenOperationIds } from '../errors/every-operation.ts'

let api: ApiProcess
let caller: Caller
beforeAll(async () => {
  // Short streams, so that the test can wait for their end.
  api = await ApiProcess.start({ EVENT_STREAM_SECONDS: '1' })
  caller = await newCaller(api.send)
})
afterAll(() => api[Symbol.asyncDispose]())

async function read(path: string) {
  const response = await fetch(api.operationsUrl + path)
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}

/** The sum of all series of a counter that have these labels. */
function total(exposition: string, name: string, ...labels: string[]): number {
  return exposition
    .split('\n')
    .filter((line) => line.startsWith(name) && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

describe('the health checks', () => {
  it('report with 200 that the API is alive and ready', async () => {
    expect(await read('/livez')).toMatchObject({ status: 200, text: '{"status":"alive"}' })
    expect(await read('/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}' })
  })
})

describe('the metrics', () => {
  it('count requests by operation and status', async () => {
    const responses = await callEveryOperation(caller)
    for (const [id, { status }] of responses) expect(status, id).toBe(operationOf(id).success.status)
    await caller.get('assets/folders/11111111111/')
    await caller.get('nowhere/')
    const { status, type, text } = await read('/metrics')
    expect(status).toBe(200)
    expect(type).toMatch(/^text\/plain; version=/)
    for (const id of tokenOperationIds) {
      const label = `status="${operationOf(id).success.status}"`
      const count = total(text, 'reelkeep_http_requests_total{', `operation="${id}"`, label)
      expect(count, id).toBeGreaterThanOrEqual(1)
    }
    const requests = (...labels: string[]) => total(text, 'reelkeep_http_requests_total{', ...labels)
    expect(requests('operation="readFolder"', 'status="404"')).toBe(1)
    expect(requests('operation="none"', 'status="404"')).toBe(1)
    expect(total(text, 'reelkeep_http_request_duration_seconds_count{')).toBe(requests())
  })

  it('include the Postgres connections and the memory of the process', async () => {
    const { text } = await read('/metrics')
    expect(total(text, 'reelkeep_database_connections{', 'state="open"')).toBeGreaterThan(0)
    expect(total(text, 'reelkeep_database_connections{', 'state="waiting"')).toBe(0)
    expect(text).toContain('process_resident_memory_bytes')
  })

  it('contain no organization, token or path, so that the number of series does not grow with the number of users', async () => {
    const { text } = await read('/metrics')
    expect(text).not.toContain(caller.organizationId)
    expect(text).not.toContain('/api/v1')
    expect(text).not.toContain('rlk_')
  })

  it('are not available on the public port', async () => {
    expect((await fetch(`${api.baseUrl}/metrics`)).status).toBe(404)
  })
})

describe('with OPERATIONS_TOKEN', () => {
  const token = 'a-token-of-the-operations-ports-0123456789'

  it('metrics and diagnostics require the token, and the health checks do not', async () => {
    await using guarded = await InProcessApi.start({ OPERATIONS_TOKEN: token })
    const statusOf = async (path: string, authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization }
      return (await fetch(guarded.operationsUrl + path, { headers })).status
    }
    for (const path of ['/metrics', '/doctor']) {
      const wrong = [undefined, 'Bearer', `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`]
      for (const header of wrong) expect(await statusOf(path, header), `${path} ${header}`).toBe(401)
      expect(await statusOf(path, `Bearer ${token}`), path).toBe(200)
    }
    expect([await statusOf('/livez'), await statusOf('/readyz')]).toEqual([200, 200])
  })

  it('the public port reports only that the API is alive', async () => {
    await using guarded = await InProcessApi.start({ OPERATIONS_TOKEN: token })
    const paths = ['/livez', '/readyz', '/metrics', '/doctor']
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(guarded.baseUrl + path)).status))
    expect(statuses).toEqual([200, 404, 404, 404])
  })
})
