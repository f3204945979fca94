/** A drill without requests or without responses must not pass. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { DrillReport } from '../support/drill-report.ts'
import type { LoadResult } from '../verify/verify-load.ts'
import { missingActivity, unansweredRequests } from './load-assertions.ts'
import { write } from './load-call.ts'
import { LoadConnection, RateLimiter } from './load-connection.ts'
import { change, errorSeconds, fieldOf, LoadRecord, longestWriteGapSeconds } from './load-record.ts'

const result = { lost: [], duplicated: [], wrong: [], files: 2, videosCompleted: 2 }

/** Returns a record with the minimum activity that the shortest drill must have. */
function usedRecord(): LoadRecord {
  const record = new LoadRecord('acme12')
  const { read, view, stream } = record.answeredAt
  for (let count = 0; count < 30; count++) {
    record.creations.push({ type: 'folder.created', title: `Folder ${count}`, at: 0 })
    for (const list of [read, view, stream]) list.push(record.startedAt)
  }
  for (const method of ['form', 'parts'] as const) {
    const file = { method, bytes: 1, storedAt: 1, completedAt: 1 }
    const fields = { title: fieldOf('Video'), folder: fieldOf(null) }
    const none = { chapters: new Map(), uncertainSeconds: new Set<number>() }
    record.assets.push({ id: method, session: method, ...fields, ...none, file })
  }
  record.endedAt = record.startedAt + 1000
  return record
}

function exitCodeOf(record: LoadRecord, loadResult: LoadResult = result): number {
  const report = new DrillReport()
  report.addLoad('load', record, loadResult)
  return report.exitCode
}

it('a drill passes if the load was sufficient and nothing was lost', () => {
  expect(exitCodeOf(usedRecord())).toBe(0)
})

it('a drill fails if its load made no requests, or none of one kind', () => {
  expect(missingActivity(new LoadRecord('acme12'))).toHaveLength(6)
  expect(exitCodeOf(new LoadRecord('acme12'), { ...result, files: 0, videosCompleted: 0 })).toBe(1)
  const unwatched = usedRecord()
  unwatched.answeredAt.view.length = 0
  expect(missingActivity(unwatched)).toEqual([expect.stringContaining('views: 0')])
  const unparted = usedRecord()
  unparted.assets.pop()
  expect(missingActivity(unparted)).toEqual([expect.stringContaining('parts: 0')])
})

it('a drill fails if a write was lost, duplicated or wrong, or if a file has no video', () => {
  const violations = [{ lost: ['f1'] }, { duplicated: ['f1'] }, { wrong: ['f1'] }, { videosCompleted: 1 }]
  for (const violation of violations) expect(exitCodeOf(usedRecord(), { ...result, ...violation })).toBe(1)
})

it('a drill fails if a request got no response, unless it was sent shortly before the end', () => {
  const record = usedRecord()
  const { endedAt } = record
  record.unanswered.push({ request: 'POST x', firstSentAt: endedAt - 100, at: endedAt + 10 })
  expect(exitCodeOf(record)).toBe(0)
  record.unanswered.push({ request: 'POST y', firstSentAt: endedAt - 900, at: endedAt - 100 })
  record.unanswered.push({ request: 'POST z', firstSentAt: endedAt - 5000, at: endedAt + 10 })
  expect(unansweredRequests(record)).toEqual([
    expect.stringContaining('POST y: no response after 800 ms'),
    expect.stringContaining('POST z: no response after 5010 ms'),
  ])
  expect(exitCodeOf(record)).toBe(1)
})

it('a short drill ignores long times, but fails if a request got no response during the load', () => {
  const record = usedRecord()
  const { endedAt } = record
  record.unanswered.push({ request: 'POST z', firstSentAt: endedAt - 60_000, at: endedAt + 10 })
  const report = new DrillReport({ isShort: true })
  report.addLoad('load', record, result)
  report.checkTime('writes refused for', '60 s', { isPassed: false })
  expect(report.exitCode).toBe(0)
  record.unanswered.push({ request: 'POST y', firstSentAt: endedAt - 900, at: endedAt - 100 })
  report.addLoad('load', record, result)
  expect(report.exitCode).toBe(1)
})

it('LoadRecord counts only acknowledged changes', () => {
  const record = new LoadRecord('acme12')
  const title = fieldOf('One')
  record.folders.push({ uuid: 'f1', title, parent: fieldOf(null) })
  change(title, 'Two', true)
  change(title, 'Three', false)
  expect(record.acknowledged).toBe(1)
})

it('errorSeconds measures from the first failed request to the first response after the last failure', () => {
  const record = new LoadRecord('acme12')
  const error = { kind: 'write', isRefusal: true, request: '', status: 503, detail: '' } as const
  record.refused.push({ ...error, sentAt: 1000, at: 1100 }, { ...error, sentAt: 2000, at: 2500 })
  record.answeredAt.write.push(900, 1500, 4000, 5000)
  expect(errorSeconds(record, ['write'])).toBe(3)
  expect(errorSeconds(record, ['write'], [0, 1200])).toBe(0.5)
  expect(errorSeconds(record, ['read'])).toBe(0)
})

it('errorSeconds measures to the end of the load if no later request got a response', () => {
  const record = new LoadRecord('acme12')
  const error = { kind: 'write', isRefusal: true, request: '', status: 503, detail: '' } as const
  record.refused.push({ ...error, sentAt: 1000, at: 1100 })
  record.endedAt = 21_000
  expect(errorSeconds(record, ['write'])).toBe(20)
})

it('longestWriteGapSeconds finds gaps at the beginning, in the middle and at the end of a time span', () => {
  const record = new LoadRecord('acme12')
  record.endedAt = 60_000
  record.acknowledgedAt.push(5000, 6000, 18_000, 19_000, 40_000)
  expect(longestWriteGapSeconds(record, [1000, 7000])).toBe(12)
  expect(longestWriteGapSeconds(record, [1000, 6000])).toBe(4)
  expect(longestWriteGapSeconds(record, [5000, 19_500])).toBe(21)
  expect(longestWriteGapSeconds(record, [41_000, 50_000])).toBe(19)
  expect(longestWriteGapSeconds(new LoadRecord('acme12'), [0, 30_000])).toBeGreaterThanOrEqual(30)
})

/** Starts a server with this listener. Returns the connection to it and the record of its requests. */
async function contextOf(listener: RequestListener, retrySeconds: number) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const record = new LoadRecord('acme12')
  const stopSignal = new AbortController().signal
  const options = { rateLimiter: new RateLimiter(100), record, retrySeconds, stopSignal }
  const connection = new LoadConnection({ baseUrl: () => `http://127.0.0.1:${port}` }, options)
  onTestFinished(() => {
    connection[Symbol.dispose]()
    server.close()
  })
  return { connection, record, token: () => 'token' }
}

it('a request that is refused until the time limit is recorded as unanswered', async () => {
  const context = await contextOf((_, answer) => {
    answer.writeHead(503, { 'retry-after': '1' }).end()
  }, 0.5)
  expect(await write(context, { method: 'POST', path: 'x/' })).toBeUndefined()
  expect(context.record.unanswered).toEqual([expect.objectContaining({ request: 'POST /api/v1/acme12/x/' })])
  expect(context.record.acknowledgedAt).toEqual([])
  expect(unansweredRequests(context.record)).toHaveLength(1)
})

it('an idempotency key that stays in use and a 4xx response are recorded as failures', async () => {
  const inUse = await contextOf((_, answer) => {
    answer.writeHead(409).end('{"code":"idempotency_key_in_use"}')
  }, 6)
  await write(inUse, { method: 'POST', path: 'x/' })
  expect(inUse.record.failed).toEqual([expect.objectContaining({ status: 409 })])
  expect(inUse.record.answeredAt.write).toEqual([])
  const refused = await contextOf((_, answer) => void answer.writeHead(400).end('{}'), 1)
  await write(refused, { method: 'POST', path: 'x/' })
  expect(refused.record.failed).toEqual([expect.objectContaining({ status: 400 })])
  expect(refused.record.acknowledgedAt).toEqual([])
})
