/** Tests the traces, logs and metrics of one video, from the request that created its session to the webhooks. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations, type uploadSessions, type webhooks } from '@reelkeep/contract'
import {
  ApiProcess,
  Caller,
  formOf,
  newOrganization,
  openOwner,
  postByFetch,
  resetDatabase,
  root,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it, vi } from 'vitest'
import { openReceiver } from '../webhooks/receiver.ts'
import { type CollectedSpan, openCollector } from './trace-collector.ts'

const env = withDatabase(stackEnv(), 'observed_video')
await resetDatabase(env)
const collector = await opened(openCollector())
const receiver = await opened(openReceiver())
const settings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20for-the-collector',
  WEBHOOK_DEVELOPMENT_NETWORKS: '127.0.0.0/8:*',
}
const api = await opened(ApiProcess.start(settings, env))
const worker = await opened(WorkerProcess.start({ settings, env }))
const owner = await opened(Promise.resolve(openOwner(env)))
const { organizationId, token } = await newOrganization(owner)
const caller = new Caller(api.send, organizationId, token)

const sessions = 'assets/upload-sessions/'
const newTrace = () => randomBytes(16).toString('hex')
const spanOfCaller = 'abcdef0123456789'
const from = (trace: string, flags = '01') => ({
  traceparent: `00-${trace}-${spanOfCaller}-${flags}`,
})
const soon = <Value>(read: () => Value) => expect.poll(read, { timeout: 60_000, interval: 100 })

const hook = { url: receiver.url, types: ['asset.completed'] }
const { body: webhook } = await caller.post<webhooks.NewWebhook>('webhooks/', hook)
const [trace, completing] = [newTrace(), newTrace()]
const { body: session, headers } = await caller.post<uploadSessions.NewUploadSession>(
  sessions,
  { title: 'secret-title', resolutions: ['240p'] },
  from(trace),
)
const file = readFileSync(join(root, 'tools/faults/files/one-second.mp4'))
await postByFetch(formOf(session.client_payload, file))
await caller.post(`${sessions}${session.upload_session.uuid}/complete/`, undefined, from(completing))
await vi.waitUntil(() => receiver.arrivals.length === 1, { timeout: 60_000, interval: 100 })

const ofTrace = (id: string) => collector.spans().filter(({ traceId }) => traceId === id)
const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name)

/** The span names in the table of docs/operations/running.md, for example `transaction`, or `job …` for every job. */
const page = readFileSync(join(root, 'docs/operations/running.md'), 'utf8')
const rows = page.slice(page.indexOf('| span |'), page.indexOf('`spans_left_out`')).matchAll(/^\| `([^`]+)` \|/gm)
const forms = [...rows].map(([, form = '']) => form)
const isDocumented = (name: string) =>
  operations.some(({ id }) => id === name) ||
  forms.some((form) => (form.endsWith(' …') ? name.startsWith(form.slice(0, -1)) : name === form))

describe('the trace of a video', () => {
  it('leads from the request that created its session through the steps to its webhook', async () => {
    await soon(() => ofTrace(trace).map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...['createUploadSession', 'transaction', 'finalize upload'],
        ...['job video-probe', 'run ffprobe', 'job video-encode', 'run ffmpeg'],
        'webhook delivery',
      ]),
    )
    const spans = ofTrace(trace)
    expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['reelkeep-api', 'reelkeep-worker']))
    const [delivery] = named(spans, 'webhook delivery')
    expect(delivery?.attributeValues).toMatchObject({
      organization_id: organizationId,
      asset_id: session.asset.id,
      webhook_id: webhook.id,
      event_type: 'asset.completed',
      'http.response.status_code': 204,
    })
  })

  it("is connected: every span descends from the caller's span", async () => {
    // A span is sent when it ends, so parents arrive after their children.
    await soon(() => {
      const spans = ofTrace(trace)
      const known = new Set([spanOfCaller, ...spans.map(({ spanId }) => spanId)])
      return spans.filter(({ parentSpanId = 'none' }) => !known.has(parentSpanId))
    }).toEqual([])
    const [first] = named(ofTrace(trace), 'createUploadSession')
    expect(first?.parentSpanId).toBe(spanOfCaller)
  })

  it('has only documented spans, and only totals of the data that a step transfers', async () => {
    await soon(() => named(ofTrace(trace), 'job video-pictures').length).toBe(1)
    const spans = ofTrace(trace)
    expect(spans.filter(({ name }) => !isDocumented(name)).map(({ name }) => name)).toEqual([])
    // Storage requests have no spans of their own, because a long video has thousands of segments.
    expect(spans.filter(({ name }) => name.startsWith('storage '))).toEqual([])
    const [encode] = named(spans, 'job video-encode')
    expect(encode?.attributeValues).toMatchObject({ outcome: 'done', part: '0', source_reads: 1 })
    expect(encode?.attributeValues['files_written']).toBeGreaterThan(0)
    expect(encode?.attributeValues['bytes_written']).toBeGreaterThan(1000)
  })

  it('has about thirty spans for one video', () => {
    // A step has spans for its job, its transactions and its programs. On a busy machine, retries may add spans.
    expect(ofTrace(trace).length).toBeGreaterThan(15)
    expect(ofTrace(trace).length).toBeLessThan(45)
  })

  it('is linked to the request that completed the upload', async () => {
    const [finalized] = named(ofTrace(trace), 'finalize upload')
    await soon(() => named(ofTrace(completing), 'completeUploadSession').length).toBe(1)
    expect(finalized?.links).toMatchObject([{ traceId: completing }])
  })

  it('contains no secret, no URL and no user content', async () => {
    const watching = newTrace()
    const path = `/play/canary-token/${organizationId}/${session.asset.id}/master.m3u8?word=canary-word`
    await api.send({ method: 'GET', path, headers: from(watching), body: undefined })
    // Trace headers of viewers are ignored, so playback starts its own trace.
    await soon(() => named(collector.spans(), 'play').length).toBe(1)
    expect(ofTrace(watching)).toEqual([])
    const sent = collector.messages.join()
    const signed = Object.values(session.client_payload).filter((value) => value.length > 40)
    expect(signed.length).toBeGreaterThan(0)
    const chosen = ['/hook', 'secret-title', 'canary-token', 'canary-word', 'master.m3u8']
    for (const secret of [token, webhook.secret, webhook.url, ...chosen, ...signed]) {
      expect(sent.includes(secret), secret).toBe(false)
    }
    expect(sent).not.toMatch(/rlk_|whsec_|authorization|https?:\/\//i)
  })

  it("is sent with the collector's credentials", () => {
    expect(new Set(collector.credentials)).toEqual(new Set(['Bearer for-the-collector']))
  })

  it('is not sent if the client or the operator has disabled tracing', async () => {
    const [disabledByCaller, disabledByOperator] = [newTrace(), newTrace()]
    const sparing = { ...settings, OTEL_TRACES_SAMPLER_ARG: '0' }
    const other = await ApiProcess.start(sparing, env)
    await new Caller(other.send, organizationId, token).get('assets/folders/', from(disabledByOperator))
    // Buffered spans are sent before a process ends.
    await other[Symbol.asyncDispose]()
    await caller.get('assets/folders/', from(disabledByCaller, '00'))
    const traced = newTrace()
    await caller.get('assets/folders/', from(traced))
    await soon(() => ofTrace(traced).length).toBeGreaterThan(0)
    expect(ofTrace(disabledByCaller)).toEqual([])
    expect(ofTrace(disabledByOperator)).toEqual([])
  })
})

type Line = Readonly<Record<string, unknown>>

const linesOf = (log: string): Line[] =>
  log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

describe('the logs of a video', () => {
  const about = { organization_id: organizationId, asset_id: session.asset.id, trace_id: trace }

  it("link the client's request ID to the asset, and the asset's ID to all processing", async () => {
    const id = headers['x-request-id']
    const line = () => linesOf(api.log).find(({ request_id }) => request_id === id)
    await soon(line).toMatchObject({ operation: 'createUploadSession', status: 201, ...about })
    const work = () => linesOf(worker.log).filter(({ asset_id }) => asset_id === session.asset.id)
    await soon(() => work().map(({ job }) => job)).toEqual(
      expect.arrayContaining(['video-probe', 'video-encode', 'video-pictures']),
    )
    for (const done of work()) expect(done).toMatchObject(about)
  })

  it('have the asset, its organization and the trace in every line about a step', () => {
    const steps = linesOf(worker.log).filter(({ job }) => String(job).startsWith('video-'))
    expect(steps.length).toBeGreaterThan(2)
    for (const line of steps) expect(line).toMatchObject(about)
  })

  it('have the request ID in every line about a request', async () => {
    const unknown = `assets/${crypto.randomUUID()}/`
    const { headers: responseHeaders } = await caller.get(unknown)
    const ofUnknown = ({ request_id }: Line) => request_id === responseHeaders['x-request-id']
    await soon(() => linesOf(api.log).find(ofUnknown)).toMatchObject({ status: 404 })
    for (const line of linesOf(api.log).filter(({ status }) => status !== undefined)) {
      expect(line).toMatchObject({ request_id: expect.stringMatching(/^[\w-]{8,64}$/) })
    }
  })
})

/** The value of a series; undefined if it does not exist. */
async function series(url: string, start: string): Promise<number | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${start} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

describe('the metrics of a video', () => {
  it('contain the time from the end of the upload until the video was playable', async () => {
    const name = 'reelkeep_time_to_playable_seconds'
    expect(await series(worker.operationsUrl, `${name}_count`)).toBe(1)
    expect(await series(worker.operationsUrl, `${name}_bucket{le="60"}`)).toBe(1)
    expect(await series(worker.operationsUrl, `${name}_sum`)).toBeGreaterThan(0)
  })

  it('contain the time until its upload was detected', async () => {
    const name = 'reelkeep_upload_detected_seconds'
    expect(await series(api.operationsUrl, `${name}_count{detected_by="client"}`)).toBe(1)
    expect(await series(api.operationsUrl, `${name}_bucket{le="60",detected_by="client"}`)).toBe(1)
  })

  it('contain the storage requests', async () => {
    const put = '{operation="PutObject",outcome="ok"}'
    expect(await series(worker.operationsUrl, `reelkeep_storage_request_seconds_count${put}`)).toBeGreaterThan(3)
  })

  it('contain the queues of the worker, and the number of open jobs in each queue', async () => {
    for (const queue of ['light', 'probe', 'encode', 'extras']) {
      const of = `{queue="${queue}"}`
      expect(await series(worker.operationsUrl, `reelkeep_worker_queues${of}`)).toBe(1)
      // A video is completed before its thumbnails are created.
      await soon(() => series(worker.operationsUrl, `reelkeep_jobs_open${of}`)).toBe(0)
    }
  })
})
