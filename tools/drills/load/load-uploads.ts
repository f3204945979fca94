/**
 * Uploads of a load: a small real video, with a form or in parts, each of a unique size so that they can be
 * distinguished.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { assets, uploadSessions } from '@reelkeep/contract'
import { formOf, postByFetch, root } from '@reelkeep/testkit'
import { type CallScene, read, write } from './load-call.ts'
import { type AssetRecord, fieldOf } from './load-record.ts'

const SESSIONS = 'assets/upload-sessions/'
const video = readFileSync(join(root, 'tests/acceptance/files/ten-and-a-half-seconds.mp4'))

/** The last second of it at which a chapter may start. */
export const LAST_SECOND = 10

/** One in this many is protected, so that content keys are used as well. */
const PROTECTED_EVERY = 3

/** After this many polls an upload is left to the service. */
const TRIES_MAX = 60
const PAUSE_MILLISECONDS = 500

export type UploadScene = CallScene & {
  readonly newTitle: (kind: string) => string
  readonly isOver: AbortSignal
}

type UploadWish = {
  /** Unique among the uploads of the load. */
  readonly number: number
  readonly way: 'form' | 'parts'
}

/** An upload session and the file to send. */
type OpenedUpload = {
  readonly record: AssetRecord
  readonly payload: uploadSessions.ClientPayload
  readonly bytes: Buffer
}

export async function openUpload(
  scene: UploadScene,
  { number, way }: UploadWish,
): Promise<OpenedUpload | undefined> {
  const title = scene.newTitle('Video')
  const content_protection_type = number % PROTECTED_EVERY === 0 ? 'aes' : 'disable'
  const wish = { title, resolutions: ['240p'], content_protection_type }
  const opened = await write<uploadSessions.NewUploadSession>(scene, {
    ...{ method: 'POST', path: SESSIONS, body: wish },
  })
  if (!opened?.body) return undefined
  const { asset, upload_session, client_payload: payload } = opened.body
  const bytes = paddedVideo(number)
  const record: AssetRecord = {
    ...{ id: asset.id, session: upload_session.uuid, title: fieldOf(title), folder: fieldOf(null) },
    ...{ chapters: new Map(), uncertainSeconds: new Set() },
    file: { way, bytes: bytes.length, storedAt: undefined, completedAt: undefined },
  }
  scene.record.assets.push(record)
  scene.record.creations.push({ type: 'asset.created', title, at: Date.now() })
  return { record, payload, bytes }
}

/** Returns the asset once its file has arrived and its duration is known; undefined after the time limit. */
export async function sendUpload(
  scene: UploadScene,
  opened: OpenedUpload,
): Promise<AssetRecord | undefined> {
  const { record } = opened
  const isSent =
    record.file.way === 'form'
      ? await sendByForm(scene, opened)
      : await sendInParts(scene, record, opened.bytes)
  return isSent && (await untilLengthKnown(scene, record)) ? record : undefined
}

/** Appends an empty box, which players and probes skip. */
function paddedVideo(number: number): Buffer {
  const box = Buffer.alloc(8 + number)
  box.writeUInt32BE(box.length)
  box.write('free', 4)
  return Buffer.concat([video, box])
}

async function sendByForm(
  scene: UploadScene,
  { record: { session, file }, payload, bytes }: OpenedUpload,
): Promise<boolean> {
  const isStored = await toStorage(scene, 'POST form', async () => {
    const { status } = await postByFetch(formOf(payload, bytes))
    return status
  })
  if (!isStored) return false
  file.storedAt = Date.now()
  const completed = await untilArrived(scene, session)
  if (completed) file.completedAt = Date.now()
  return completed
}

async function sendInParts(
  scene: UploadScene,
  { session, file }: AssetRecord,
  bytes: Buffer,
): Promise<boolean> {
  for (let round = 0; round < TRIES_MAX && !scene.isOver.aborted; round++) {
    const signed = await write<{ parts: { url: string }[] }>(scene, {
      ...{ method: 'POST', path: `${SESSIONS}${session}/parts/` },
      body: { file_size_bytes: bytes.length, numbers: [1] },
    })
    const url = signed?.body?.parts[0]?.url
    if (!url) return false
    const body = new Uint8Array(bytes)
    const put = async () => (await fetch(url, { method: 'PUT', body })).status
    if (!(await toStorage(scene, 'PUT part', put))) return false
    file.storedAt ??= Date.now()
    if (await hasArrived(scene, session)) {
      file.completedAt = Date.now()
      return true
    }
  }
  return false
}

/** Sends to storage; refused and broken requests are recorded and repeated. */
async function toStorage(
  scene: UploadScene,
  request: string,
  send: () => Promise<number>,
): Promise<boolean> {
  for (let round = 0; round < TRIES_MAX && !scene.isOver.aborted; round++) {
    const sentAt = Date.now()
    const outcome = await send().catch((error: unknown) => String(error))
    const at = Date.now()
    if (typeof outcome === 'number' && outcome < 300) {
      scene.record.answeredAt.file.push(at)
      return true
    }
    const status = typeof outcome === 'number' ? outcome : undefined
    const trouble = { kind: 'file', isRefusal: false, sentAt, at, request, status } as const
    scene.record.failed.push({ ...trouble, detail: String(outcome) })
    await pause(scene)
  }
  return false
}

async function untilArrived(scene: UploadScene, session: string): Promise<boolean> {
  for (let round = 0; round < TRIES_MAX && !scene.isOver.aborted; round++) {
    if (await hasArrived(scene, session)) return true
    await pause(scene)
  }
  return false
}

/** Whether the service has detected the file. A file that is not visible to the service yet is not a failure. */
async function hasArrived(scene: UploadScene, session: string): Promise<boolean> {
  const { record, line, token } = scene
  const path = `/api/v1/${record.organizationId}/${SESSIONS}${session}/complete/`
  const headers = { authorization: `token ${token()}` }
  const wish = { kind: 'write', method: 'POST', path, headers } as const
  const answer = await line.ask(wish)
  if (!answer) return false
  if (answer.status >= 300 && !/upload_not_arrived/.test(answer.text)) line.fault(wish, answer)
  if (answer.status !== 200) return false
  record.acknowledgedAt.push(Date.now())
  return true
}

async function untilLengthKnown(scene: UploadScene, { id }: AssetRecord): Promise<boolean> {
  for (let round = 0; round < TRIES_MAX && !scene.isOver.aborted; round++) {
    const answer = await read(scene, `assets/${id}/`)
    if (answer?.status === 200) {
      const asset = JSON.parse(answer.text) as assets.Asset
      if (asset.video.duration !== null) return true
    }
    await pause(scene)
  }
  return false
}

const pause = ({ isOver }: UploadScene) =>
  sleep(PAUSE_MILLISECONDS, undefined, { signal: isOver }).catch(() => undefined)
