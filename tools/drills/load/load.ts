/**
 * A live load: an organization in use during a drill. Clients create, rename, move and edit, and read what they wrote;
 * small videos are uploaded with forms and in parts, and watched; one client follows the events. Refused and failed
 * requests are recorded and repeated with the same Idempotency-Key. Afterwards `verifyLoad` compares the acknowledged
 * changes with the state of the service.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Chance } from '../../faults/support/random.ts'
import { tooLittle } from './load-assertions.ts'
import { authorized, type CallScene } from './load-call.ts'
import { Lane } from './load-client.ts'
import { type Door, LoadLine, Pacer } from './load-connection.ts'
import { type AssetRecord, LoadRecord } from './load-record.ts'
import { followEvents } from './load-stream.ts'
import { LAST_SECOND, openUpload, sendUpload, type UploadScene } from './load-uploads.ts'
import { Viewer } from './load-viewer.ts'

export type LoadOptions = {
  readonly api: Door
  /** The address for playback; by default that of the API. */
  readonly playback?: Door
  readonly organizationId: string
  /** Evaluated for each request, because it may be rotated. Needs every scope. */
  readonly token: () => string
  /** Total to the service, without those to storage (30). */
  readonly requestsPerSecond?: number
  /** 0: no uploads, and therefore no chapters and no viewers (12). */
  readonly uploadsPerMinute?: number
  /** How long a request is repeated before it is given up (60). */
  readonly patienceSeconds?: number
  readonly seed?: number
}

export type Load = {
  /** Updated during the load. */
  readonly record: LoadRecord
  /** Resolves when every kind of request has succeeded: a drill must not start earlier. */
  readonly untilInUse: () => Promise<void>
  /** Opens another upload with a form, to be posted when the drill wants, if at all. */
  readonly openForm: () => Promise<OpenForm>
  /** Ends the running requests, waits until the stream has caught up, and returns the record. */
  readonly stop: () => Promise<LoadRecord>
}

export type OpenForm = {
  readonly asset: AssetRecord
  /** The address of its form. */
  readonly link: string
  /** Returns whether the service has detected the file. */
  readonly post: () => Promise<boolean>
}

const LANES = 8
/** No more are started at the same time, because they have to be processed as well. */
const UPLOADS_AT_ONCE_MAX = 4
/** Time limit for the stream to catch up at the end. */
const LISTEN_SECONDS_MAX = 20

export function startLoad(options: LoadOptions): Load {
  const { organizationId, token, uploadsPerMinute = 12, seed = Date.now() } = options
  const record = new LoadRecord(organizationId)
  const [over, deaf] = [new AbortController(), new AbortController()]
  const lines = openLines(options, record, over.signal)
  const scene: CallScene = { line: lines.api, record, token }
  const [chance, newTitle] = [new Chance(seed), titles()]
  const playable: AssetRecord[] = []
  const lanes = Array.from({ length: LANES }, (): AssetRecord[] => [])

  const until = async (act: () => Promise<void>) => {
    while (!over.signal.aborted) await act()
  }
  const callers = lanes.map((assets) => {
    const own = new Chance(chance.integer(0, 2 ** 31))
    const lane = new Lane({ ...scene, newTitle, assets, chance: own, lastSecond: LAST_SECOND })
    return until(() => lane.act())
  })
  const uploadScene = { ...scene, newTitle, isOver: over.signal, nextNumber: numbers() }
  const uploads = uploading(uploadScene, uploadsPerMinute, (one) => {
    playable.push(one)
    lanes[playable.length % LANES]?.push(one)
  })
  const viewer = new Viewer({ ...scene, edge: lines.playback, chance, videos: playable })
  const viewing = until(async () => {
    await sleep(VIEW_PAUSE_MILLISECONDS, undefined, { signal: over.signal }).catch(() => undefined)
    await viewer.act()
  })
  const listening = followEvents({ ...scene, isOver: deaf.signal })
  const acting = Promise.all([...callers, uploads, viewing])
  // `stop` reports the error; until then it may be unhandled.
  acting.catch(() => undefined)

  const stop = async () => {
    record.ended = Date.now()
    over.abort()
    await acting
    await catchUp(scene)
    deaf.abort()
    await listening
    lines[Symbol.dispose]()
    return record
  }
  return {
    ...{ record, stop },
    untilInUse: () => untilInUse(record),
    openForm: () => openForm(uploadScene),
  }
}

const VIEW_PAUSE_MILLISECONDS = 200

/** If it never is, the final checks fail. */
async function untilInUse(record: LoadRecord): Promise<void> {
  const deadline = performance.now() + IN_USE_SECONDS_MAX * 1000
  while (tooLittle(record).length > 0 && performance.now() < deadline) {
    await sleep(CATCH_UP_PAUSE_MILLISECONDS)
  }
}

const IN_USE_SECONDS_MAX = 60

function openLines(options: LoadOptions, record: LoadRecord, isOver: AbortSignal) {
  const { requestsPerSecond = 30, patienceSeconds = 60 } = options
  const shared = { pacer: new Pacer(requestsPerSecond), record, patienceSeconds, isOver }
  const api = new LoadLine(options.api, shared)
  const playback = new LoadLine(options.playback ?? options.api, shared)
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

type Uploading = UploadScene & { readonly nextNumber: () => number }

async function uploading(
  scene: Uploading,
  perMinute: number,
  onPlayable: (asset: AssetRecord) => void,
): Promise<void> {
  if (perMinute === 0) return
  const pacer = new Pacer(perMinute / 60)
  const underWay = new Set<Promise<void>>()
  for (let isForm = false; !scene.isOver.aborted; isForm = !isForm) {
    await pacer.turn(scene.isOver)
    if (underWay.size >= UPLOADS_AT_ONCE_MAX) await Promise.race(underWay)
    if (scene.isOver.aborted) break
    const one = upload(scene, isForm ? 'form' : 'parts').then((asset) => asset && onPlayable(asset))
    const ended: Promise<void> = one.finally(() => underWay.delete(ended))
    underWay.add(ended)
  }
  await Promise.all(underWay)
}

async function upload(scene: Uploading, way: 'form' | 'parts'): Promise<AssetRecord | undefined> {
  const opened = await openUpload(scene, { number: scene.nextNumber(), way })
  return opened && (await sendUpload(scene, opened))
}

async function openForm(scene: Uploading): Promise<OpenForm> {
  const opened = await openUpload(scene, { number: scene.nextNumber(), way: 'form' })
  if (!opened) throw new Error('Cannot create an upload form')
  const post = async () => (await sendUpload(scene, opened)) !== undefined
  return { asset: opened.record, link: opened.payload.upload_link, post }
}

/** The stream must deliver all events that existed when the load ended. */
async function catchUp(scene: CallScene): Promise<void> {
  const { stream, organizationId } = scene.record
  const deadline = performance.now() + LISTEN_SECONDS_MAX * 1000
  let newest = await newestNumber(scene)
  while (newest === undefined && performance.now() < deadline) {
    await sleep(CATCH_UP_PAUSE_MILLISECONDS)
    newest = await newestNumber(scene)
  }
  if (newest === undefined) return void stream.faults.push('the length of the log is unknown')
  while (stream.lastNumber < newest && performance.now() < deadline) {
    await sleep(CATCH_UP_PAUSE_MILLISECONDS)
  }
  if (stream.lastNumber >= newest) return
  stream.faults.push(`${organizationId} has event ${newest}; the stream sent ${stream.lastNumber}`)
}

/** Undefined without a response. */
async function newestNumber(scene: CallScene): Promise<number | undefined> {
  const { organizationId, stream } = scene.record
  let after = stream.lastNumber
  for (let page = 0; page < PAGES_MAX; page++) {
    const path = `/api/v1/${organizationId}/events/?limit=1000&after=${after}`
    const answer = await scene.line.send({ method: 'GET', path, headers: authorized(scene) })
    if (answer?.status !== 200) return undefined
    const body = JSON.parse(answer.text) as { after: number; has_more: boolean }
    after = body.after
    if (!body.has_more) return after
  }
  return undefined
}

const PAGES_MAX = 1000
const CATCH_UP_PAUSE_MILLISECONDS = 100
