/** A drill without requests or without responses must not pass. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { Figures } from '../support/figures.ts'
import { tooLittle, unanswered } from './load-assertions.ts'
import { write } from './load-call.ts'
import { LoadLine, Pacer } from './load-connection.ts'
import {
  change,
  fieldOf,
  LoadRecord,
  longestSilenceSeconds,
  troubleSeconds,
} from './load-record.ts'
import type { LoadVerdict } from './verify-load.ts'

const verdict = { lost: [], doubled: [], wrong: [], files: 2, videosCompleted: 2 }

/** The minimum for the shortest drill. */
function usedRecord(): LoadRecord {
  const record = new LoadRecord('acme12')
  const { read, view, stream } = record.answeredAt
  for (let count = 0; count < 30; count++) {
    record.creations.push({ type: 'folder.created', title: `Folder ${count}`, at: 0 })
    for (const list of [read, view, stream]) list.push(record.began)
  }
  for (const way of ['form', 'parts'] as const) {
    const file = { way, bytes: 1, storedAt: 1, completedAt: 1 }
    const fields = { title: fieldOf('Video'), folder: fieldOf(null) }
    const none = { chapters: new Map(), uncertainSeconds: new Set<number>() }
    record.assets.push({ id: way, session: way, ...fields, ...none, file })
  }
  record.ended = record.began + 1000
  return record
}

function exitCodeOf(record: LoadRecord, found: LoadVerdict = verdict): number {
  const figures = new Figures()
  figures.addLoad('load', record, found)
  return figures.exitCode
}

it('accepts a sufficient load with everything present', () => {
  expect(exitCodeOf(usedRecord())).toBe(0)
})

it('rejects a load without requests or without one of the kinds', () => {
  expect(tooLittle(new LoadRecord('acme12'))).toHaveLength(6)
  expect(exitCodeOf(new LoadRecord('acme12'), { ...verdict, files: 0, videosCompleted: 0 })).toBe(1)
  const unwatched = usedRecord()
  unwatched.answeredAt.view.length = 0
  expect(tooLittle(unwatched)).toEqual([expect.stringContaining('views: 0')])
  const unparted = usedRecord()
  unparted.assets.pop()
  expect(tooLittle(unparted)).toEqual([expect.stringContaining('parts: 0')])
})

it('rejects a lost write, a duplicated one, or a file without its video', () => {
  const faults = [{ lost: ['f1'] }, { doubled: ['f1'] }, { wrong: ['f1'] }, { videosCompleted: 1 }]
  for (const fault of faults) expect(exitCodeOf(usedRecord(), { ...verdict, ...fault })).toBe(1)
})

it('rejects requests that were given up, except those cut short by the end', () => {
  const record = usedRecord()
  const { ended } = record
  record.givenUp.push({ request: 'POST x', askedAt: ended - 100, at: ended + 10 })
  expect(exitCodeOf(record)).toBe(0)
  record.givenUp.push({ request: 'POST y', askedAt: ended - 900, at: ended - 100 })
  record.givenUp.push({ request: 'POST z', askedAt: ended - 5000, at: ended + 10 })
  expect(unanswered(record)).toEqual([
    expect.stringContaining('POST y: given up after 800 ms'),
    expect.stringContaining('POST z: given up after 5010 ms'),
  ])
  expect(exitCodeOf(record)).toBe(1)
})

it('does not fail a short run because of its times, but because of its counts', () => {
  const record = usedRecord()
  const { ended } = record
  record.givenUp.push({ request: 'POST z', askedAt: ended - 60_000, at: ended + 10 })
  const figures = new Figures({ isShort: true })
  figures.addLoad('load', record, verdict)
  figures.judgeTime('writes refused for', '60 s', false)
  expect(figures.exitCode).toBe(0)
  record.givenUp.push({ request: 'POST y', askedAt: ended - 900, at: ended - 100 })
  figures.addLoad('load', record, verdict)
  expect(figures.exitCode).toBe(1)
})

it('counts acknowledged requests, and neither refused nor unanswered ones', () => {
  const record = new LoadRecord('acme12')
  const title = fieldOf('One')
  record.folders.push({ uuid: 'f1', title, parent: fieldOf(null) })
  change(title, 'Two', true)
  change(title, 'Three', false)
  expect(record.acknowledged).toBe(1)
})

it('counts trouble from the first failed request to the first response after the last one', () => {
  const record = new LoadRecord('acme12')
  const met = { kind: 'write', isRefusal: true, request: '', status: 503, detail: '' } as const
  record.refused.push({ ...met, sentAt: 1000, at: 1100 }, { ...met, sentAt: 2000, at: 2500 })
  record.answeredAt.write.push(900, 1500, 4000, 5000)
  expect(troubleSeconds(record, ['write'])).toBe(3)
  expect(troubleSeconds(record, ['write'], [0, 1200])).toBe(0.5)
  expect(troubleSeconds(record, ['read'])).toBe(0)
})

it('counts trouble to the end of the load if nothing was answered anymore', () => {
  const record = new LoadRecord('acme12')
  const met = { kind: 'write', isRefusal: true, request: '', status: 503, detail: '' } as const
  record.refused.push({ ...met, sentAt: 1000, at: 1100 })
  record.ended = 21_000
  expect(troubleSeconds(record, ['write'])).toBe(20)
})

it('finds the longest gap between acknowledged writes, at the beginning, in the middle or at the end', () => {
  const record = new LoadRecord('acme12')
  record.ended = 60_000
  record.acknowledgedAt.push(5000, 6000, 18_000, 19_000, 40_000)
  expect(longestSilenceSeconds(record, [1000, 7000])).toBe(12)
  expect(longestSilenceSeconds(record, [1000, 6000])).toBe(4)
  expect(longestSilenceSeconds(record, [5000, 19_500])).toBe(21)
  expect(longestSilenceSeconds(record, [41_000, 50_000])).toBe(19)
  expect(longestSilenceSeconds(new LoadRecord('acme12'), [0, 30_000])).toBeGreaterThanOrEqual(30)
})

/** A caller of a server with this listener. */
async function sceneOf(listener: RequestListener, patienceSeconds: number) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const record = new LoadRecord('acme12')
  const isOver = new AbortController().signal
  const options = { pacer: new Pacer(100), record, patienceSeconds, isOver }
  const line = new LoadLine({ baseUrl: () => `http://127.0.0.1:${port}` }, options)
  onTestFinished(() => {
    line[Symbol.dispose]()
    server.close()
  })
  return { line, record, token: () => 'token' }
}

it('records a request that is refused until the time limit', async () => {
  const scene = await sceneOf((_, answer) => {
    answer.writeHead(503, { 'retry-after': '1' }).end()
  }, 0.5)
  expect(await write(scene, { method: 'POST', path: 'x/' })).toBeUndefined()
  expect(scene.record.givenUp).toEqual([
    expect.objectContaining({ request: 'POST /api/v1/acme12/x/' }),
  ])
  expect(scene.record.acknowledgedAt).toEqual([])
  expect(unanswered(scene.record)).toHaveLength(1)
})

it('records a key that stays in use as a failure, and a 4xx response not as an acknowledgement', async () => {
  const inUse = await sceneOf((_, answer) => {
    answer.writeHead(409).end('{"code":"idempotency_key_in_use"}')
  }, 6)
  await write(inUse, { method: 'POST', path: 'x/' })
  expect(inUse.record.failed).toEqual([expect.objectContaining({ status: 409 })])
  expect(inUse.record.answeredAt.write).toEqual([])
  const refused = await sceneOf((_, answer) => void answer.writeHead(400).end('{}'), 1)
  await write(refused, { method: 'POST', path: 'x/' })
  expect(refused.record.failed).toEqual([expect.objectContaining({ status: 400 })])
  expect(refused.record.acknowledgedAt).toEqual([])
})
