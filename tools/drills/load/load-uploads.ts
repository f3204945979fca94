/**
 * Uploads of a load: a small real video, sent with a form or in parts. Each file has a unique size, which identifies
 * it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { assets, uploadSessions } from '@reelkeep/contract'
import { formOf, postByFetch, root } from '@reelkeep/testkit'
import { authorized, type CallContext, read, write } from './load-call.ts'
import { type AssetRecord, fieldOf } from './load-record.ts'

const SESSIONS = 'assets/upload-sessions/'
const video = readFileSync(join(root, 'tests/acceptance/files/ten-and-a-half-seconds.mp4'))

/** The last second of the video at which a chapter may start. */
export const LAST_SECOND = 10

/** One in this many uploads is protected, so that content keys are used too. */
const PROTECTED_EVERY = 3

/** Maximum number of attempts for each step of an upload. After that, the load no longer waits for the upload. */
const ATTEMPTS_MAX = 60
const PAUSE_MILLISECONDS = 500

export type UploadContext = CallContext & {
  readonly newTitle: (kind: string) => string
  readonly stopSignal: AbortSignal
}

/** An upload session and the file to send. */
type OpenedUpload = {
  readonly record: AssetRecord
  readonly payload: uploadSessions.ClientPayload
  readonly bytes: Buffer
}

/** Creates an upload session. `number` is unique among the uploads of the load. */
export async function openUpload(
  context: UploadContext,
  number: number,
  method: 'form' | 'parts',
): Promise<OpenedUpload | undefined> {
  const title = context.newTitle('Video')
  const content_protection_type = number % PROTECTED_EVERY === 0 ? 'aes' : 'disable'
  const body = { title, resolutions: ['240p'], content_protection_type }
  const request = { method: 'POST', path: SESSIONS, body } as const
  const opened = await write<uploadSessions.NewUploadSession>(context, request)
  if (!opened?.body) return undefined
  const { asset, upload_session, client_payload: payload } = opened.body
  const bytes = paddedVideo(number)
  const record: AssetRecord = {
    ...{ id: asset.id, session: upload_session.uuid, title: fieldOf(title), folder: fieldOf(null) },
    ...{ chapters: new Map(), uncertainSeconds: new Set() },
    file: { method, bytes: bytes.length, storedAt: undefined, completedAt: undefined },
  }
  context.record.assets.push(record)
  context.record.creations.push({ type: 'asset.created', title, at: Date.now() })
  return { record, payload, bytes }
}

/** Returns the asset once its file has arrived and its duration is known; undefined after the time limit. */
export async function sendUpload(context: UploadContext, opened: OpenedUpload): Promise<AssetRecord | undefined> {
  const { record } = opened
  const isSent = record.file.method === 'form' ? await sendByForm(context, opened) : await sendInParts(context, opened)
  return isSent && (await waitUntilProbed(context, record)) ? record : undefined
}

/** Appends an empty box, which players and probes skip. */
function paddedVideo(number: number): Buffer {
  const box = Buffer.alloc(8 + number)
  box.writeUInt32BE(box.length)
  box.write('free', 4)
  return Buffer.concat([video, box])
}

async function sendByForm(
  context: UploadContext,
  { record: { session, file }, payload, bytes }: OpenedUpload,
): Promise<boolean> {
  const post = async () => (await postByFetch(formOf(payload, bytes))).status
  if (!(await sendToStorage(context, 'POST form', post))) return false
  file.storedAt = Date.now()
  const isCompleted = await retry(context, () => complete(context, session))
  if (isCompleted) file.completedAt = Date.now()
  return isCompleted
}

function sendInParts(context: UploadContext, { record: { session, file }, bytes }: OpenedUpload): Promise<boolean> {
  return retry(context, async () => {
    const signed = await write<{ parts: { url: string }[] }>(context, {
      ...{ method: 'POST', path: `${SESSIONS}${session}/parts/` },
      body: { file_size_bytes: bytes.length, numbers: [1] },
    })
    const url = signed?.body?.parts[0]?.url
    if (!url) return false
    const body = new Uint8Array(bytes)
    const put = async () => (await fetch(url, { method: 'PUT', body })).status
    if (!(await sendToStorage(context, 'PUT part', put))) return false
    file.storedAt ??= Date.now()
    const isCompleted = await complete(context, session)
    if (isCompleted) file.completedAt = Date.now()
    return isCompleted
  })
}

/** Sends a request to storage. Records and repeats refused and broken requests. */
const sendToStorage = (context: UploadContext, request: string, send: () => Promise<number>) =>
  retry(context, async () => {
    const sentAt = Date.now()
    const outcome = await send().catch((error: unknown) => String(error))
    const at = Date.now()
    const isStored = typeof outcome === 'number' && outcome < 300
    if (isStored) context.record.answeredAt.file.push(at)
    else
      context.record.addError({
        ...{ kind: 'file', isRefusal: false, sentAt, at, request, detail: String(outcome) },
        status: typeof outcome === 'number' ? outcome : undefined,
      })
    return isStored
  })

/**
 * Completes the upload. Returns whether the service has found the file; a file that has not arrived yet is no failure.
 */
async function complete(context: UploadContext, session: string): Promise<boolean> {
  const { record, connection } = context
  const path = `/api/v1/${record.organizationId}/${SESSIONS}${session}/complete/`
  const request = { kind: 'write', method: 'POST', path, headers: authorized(context) } as const
  const answer = await connection.sendUntilAnswered(request)
  if (!answer) return false
  if (answer.status >= 300 && !/upload_not_arrived/.test(answer.text)) connection.recordFailure(request, answer)
  if (answer.status !== 200) return false
  record.acknowledgedAt.push(Date.now())
  return true
}

const waitUntilProbed = (context: UploadContext, { id }: AssetRecord) =>
  retry(context, async () => {
    const answer = await read(context, `assets/${id}/`)
    if (answer?.status !== 200) return false
    return (JSON.parse(answer.text) as assets.Asset).video.duration !== null
  })

/** Repeats `attempt` until it returns true. Returns false after the last attempt, or when the load ends. */
async function retry({ stopSignal: signal }: UploadContext, attempt: () => Promise<boolean>): Promise<boolean> {
  for (let round = 0; round < ATTEMPTS_MAX && !signal.aborted; round++) {
    if (await attempt()) return true
    await sleep(PAUSE_MILLISECONDS, undefined, { signal }).catch(() => undefined)
  }
  return false
}
