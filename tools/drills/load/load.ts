/**
 * A live load: an organization in use during a drill. Clients create, rename, move and edit, and read what they wrote;
 * small videos are uploaded with forms and in parts, and watched; one client follows the events. Refused and failed
 * requests are recorded and repeated with the same Idempotency-Key. Afterwards `verifyLoad` compares the acknowledged
 * changes with the state of the service.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Chance } from '../../faults/support/random.ts'
import { missingActivity } from './load-assertions.ts'
import { authorized, type CallContext } from './load-call.ts'
import { LoadClient } from './load-client.ts'
import { type Endpoint, LoadConnection, RateLimiter } from './load-connection.ts'
import { type AssetRecord, LoadRecord } from './load-record.ts'
import { followEvents } from './load-stream.ts'
import { LAST_SECOND, openUpload, sendUpload, type UploadContext } from './load-uploads.ts'
import { Viewer } from './load-viewer.ts'

export type LoadOptions = {
  readonly api: Endpoint
  /** Endpoint for playback (default: the endpoint of the API). */
  readonly playback?: Endpoint
  readonly organizationId: string
  /** API token with every scope. Evaluated for each request, because the token may be rotated. */
  readonly token: () => string
  /** Maximum rate of requests to the service, not counting requests to storage (default: 30). */
  readonly requestsPerSecond?: number
  /** Number of uploads that start per minute (default: 12); 0 for none. */
  readonly uploadsPerMinute?: number
  /** Maximum time for retrying a request, in seconds (60 by default). */
  readonly retrySeconds?: number
  /** Maximum number of folders per client (default: 400). */
  readonly foldersPerClient?: number
  readonly seed?: number
}

export type Load = {
  /** Record of the load, updated while it runs. */
  readonly record: LoadRecord
  /** Resolves when every kind of request has succeeded: a drill must not start earlier. */
  readonly waitUntilInUse: () => Promise<void>
  /** Creates an upload session whose form the drill may post later. */
  readonly openForm: () => Promise<OpenForm>
  /** Ends the running requests, waits until the stream has caught up, and returns the record. */
  readonly stop: () => Promise<LoadRecord>
}

export type OpenForm = {
  readonly asset: AssetRecord
  /** URL to which the form is posted. */
  readonly link: string
  /** Posts the form. Returns whether the service has found the file. */
  readonly post: () => Promise<boolean>
}

const CLIENTS = 8
/** Maximum number of concurrent uploads: each video must also be processed during the run. */
const PARALLEL_UPLOADS_MAX = 4
/** Time limit for the stream to catch up at the end. */
const CATCH_UP_SECONDS_MAX = 20

export function startLoad(options: LoadOptions): Load {
  const { organizationId, token, uploadsPerMinute = 12, foldersPerClient = 400, seed = Date.now() } = options
  const record = new LoadRecord(organizationId)
  const [stopping, stoppingStream] = [new AbortController(), new AbortController()]
  const connections = openConnections(options, record, stopping.signal)
  const context: CallContext = { connection: connections.api, record, token }
  const [chance, newTitle] = [new Chance(seed), titles()]
  const playable: AssetRecord[] = []
  const clientAssets = Array.from({ length: CLIENTS }, (): AssetRecord[] => [])

  const repeat = async (action: () => Promise<void>) => {
    while (!stopping.signal.aborted) await action()
  }
  const callers = clientAssets.map((assets) => {
    const own = new Chance(chance.integer(0, 2 ** 31))
    const client = new LoadClient({
      ...context,
      newTitle,
      assets,
      chance: own,
      lastSecond: LAST_SECOND,
      foldersMax: foldersPerClient,
    })
    return repeat(() => client.runAction())
  })
  const uploadContext = { ...context, newTitle, stopSignal: stopping.signal, nextNumber: numbers() }
  const uploads = runUploads(uploadContext, uploadsPerMinute, (one) => {
    playable.push(one)
    clientAssets[playable.length % CLIENTS]?.push(one)
  })
  const viewer = new Viewer({ ...context, edge: connections.playback, chance, videos: playable })
  const viewing = repeat(async () => {
    await sleep(VIEW_PAUSE_MILLISECONDS, undefined, { signal: stopping.signal }).catch(() => undefined)
    await viewer.runAction()
  })
  const following = followEvents({ ...context, stopSignal: stoppingStream.signal })
  const running = Promise.all([...callers, uploads, viewing])
  // Prevents an unhandled rejection; `stop` reports the error.
  running.catch(() => undefined)

  const stop = async () => {
    record.endedAt = Date.now()
    stopping.abort()
    await running
    await catchUp(context)
    stoppingStream.abort()
    await following
    connections[Symbol.dispose]()
    return record
  }
  return {
    ...{ record, stop },
    waitUntilInUse: () => waitUntilInUse(record),
    openForm: () => openForm(uploadContext),
  }
}

const VIEW_PAUSE_MILLISECONDS = 200

/** Waits until every kind of request has succeeded, or the time limit passes; the final checks then fail. */
async function waitUntilInUse(record: LoadRecord): Promise<void> {
  const deadline = performance.now() + IN_USE_SECONDS_MAX * 1000
  while (missingActivity(record).length > 0 && performance.now() < deadline) {
    await sleep(CATCH_UP_PAUSE_MILLISECONDS)
  }
}

const IN_USE_SECONDS_MAX = 60

function openConnections(options: LoadOptions, record: LoadRecord, stopSignal: AbortSignal) {
  const { requestsPerSecond = 30, retrySeconds = 60 } = options
  const shared = {
    rateLimiter: new RateLimiter(requestsPerSecond),
    record,
    retrySeconds,
    stopSignal,
  }
  const api = new LoadConnection(options.api, shared)
  const playback = new LoadConnection(options.playback ?? options.api, shared)
  const dispose = () => {
    api[Symbol.dispose]()
    playback[Symbol.dispose]()
  }
  return { api, playback, [Symbol.dispose]: dispose }
}

function titles(): (kind: string) => string {
  const run = crypto.randomUUID().slice(0, 8)
  let count = 0
  return (kind) => `${kind} ${run} ${++count}`
}

function numbers(): () => number {
  let count = 0
  return () => ++count
}

type NumberedUploadContext = UploadContext & { readonly nextNumber: () => number }

async function runUploads(
  context: NumberedUploadContext,
  perMinute: number,
  onPlayable: (asset: AssetRecord) => void,
): Promise<void> {
  if (perMinute === 0) return
  const rateLimiter = new RateLimiter(perMinute / 60)
  const inProgress = new Set<Promise<void>>()
  for (let isForm = false; !context.stopSignal.aborted; isForm = !isForm) {
    await rateLimiter.wait(context.stopSignal)
    if (inProgress.size >= PARALLEL_UPLOADS_MAX) await Promise.race(inProgress)
    if (context.stopSignal.aborted) break
    const one = upload(context, isForm ? 'form' : 'parts').then((asset) => asset && onPlayable(asset))
    const ended: Promise<void> = one.finally(() => inProgress.delete(ended))
    inProgress.add(ended)
  }
  await Promise.all(inProgress)
}

async function upload(context: NumberedUploadContext, method: 'form' | 'parts'): Promise<AssetRecord | undefined> {
  const opened = await openUpload(context, context.nextNumber(), method)
  return opened && (await sendUpload(context, opened))
}

async function openForm(context: NumberedUploadContext): Promise<OpenForm> {
  const opened = await openUpload(context, context.nextNumber(), 'form')
  if (!opened) throw new Error('Cannot create an upload form')
  const post = async () => (await sendUpload(context, opened)) !== undefined
  return { asset: opened.record, link: opened.payload.upload_link, post }
}

/** Waits until the stream has delivered all events that existed when the load ended. */
async function catchUp(context: CallContext): Promise<void> {
  const { stream, organizationId } = context.record
  const deadline = performance.now() + CATCH_UP_SECONDS_MAX * 1000
  let newest = await newestNumber(context)
  while (newest === undefined && performance.now() < deadline) {
    await sleep(CATCH_UP_PAUSE_MILLISECONDS)
    newest = await newestNumber(context)
  }
  if (newest === undefined) return void stream.violations.push('the length of the log is unknown')
  while (stream.lastNumber < newest && performance.now() < deadline) {
    await sleep(CATCH_UP_PAUSE_MILLISECONDS)
  }
  if (stream.lastNumber >= newest) return
  stream.violations.push(`${organizationId} has event ${newest}; the stream sent ${stream.lastNumber}`)
}

/** Returns the number of the newest event; undefined if the service does not respond. */
async function newestNumber(context: CallContext): Promise<number | undefined> {
  const { organizationId, stream } = context.record
  let after = stream.lastNumber
  for (let page = 0; page < PAGES_MAX; page++) {
    const path = `/api/v1/${organizationId}/events/?limit=1000&after=${after}`
    const answer = await context.connection.send({
      method: 'GET',
      path,
      headers: authorized(context),
    })
    if (answer?.status !== 200) return undefined
    const body = JSON.parse(answer.text) as { after: number; has_more: boolean }
    after = body.after
    if (!body.has_more) return after
  }
  return undefined
}

const PAGES_MAX = 1000
const CATCH_UP_PAUSE_MILLISECONDS = 100
