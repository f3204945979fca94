/** Compares the acknowledged changes of a load with the state of the service. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { assets, chapters, folders, uploadSessions } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import { inFlight } from '../../bench/support/in-flight.ts'
import { readLog } from '../../faults/events/event-log.ts'
import {
  type AssetRecord,
  type Field,
  type FolderRecord,
  isVideoExpected,
  type LoadRecord,
} from '../load/load-record.ts'
import { type Violations, verifyLog } from './verify-log.ts'

export type LoadResult = {
  /** Acknowledged changes that are missing. */
  readonly lost: readonly string[]
  /** Resources that were created more than once, and videos that were completed more than once. */
  readonly duplicated: readonly string[]
  /** Unrequested values, wrong event numbers, videos that do not play. */
  readonly wrong: readonly string[]
  /** Number of files that must have become videos. */
  readonly files: number
  readonly videosCompleted: number
}

const CONCURRENCY = 4
const POLL_MILLISECONDS = 500

/**
 * Waits until videos are completed, then verifies every acknowledged change. Every acknowledged file must have become a
 * video that plays.
 */
export async function verifyLoad(record: LoadRecord, caller: Caller, timeoutSeconds = 180): Promise<LoadResult> {
  const violations = { lost: [], duplicated: [], wrong: [...record.wrongReads], videosCompleted: 0 }
  const deadline = performance.now() + timeoutSeconds * 1000
  const each = <Item>(items: readonly Item[], verify: (item: Item) => Promise<void>) =>
    inFlight(items, CONCURRENCY, verify)
  await each(record.folders, (folder) => verifyFolder(violations, caller, folder))
  await each(record.assets, (asset) => verifyAsset(violations, caller, asset))
  const stored = record.assets.filter(({ file }) => file.storedAt !== undefined)
  await each(stored, (asset) => verifyFile(violations, caller, asset, deadline))
  verifyLog(violations, record, await readLog(caller))
  violations.wrong.push(...record.stream.violations)
  return { ...violations, files: stored.filter(({ file }) => isVideoExpected(file)).length }
}

async function verifyFolder(violations: Violations, caller: Caller, folder: FolderRecord): Promise<void> {
  const { uuid, title, parent } = folder
  const { status, body } = await caller.get<folders.FolderDetails>(`assets/folders/${uuid}/`)
  const what = `folder ${uuid}`
  if (status !== 200) return void violations.lost.push(`${what}: ${status}, ${acknowledgedText(title)}`)
  compare(violations, what, title, body.title)
  compare(violations, what, parent, body.parent)
}

async function verifyAsset(violations: Violations, caller: Caller, asset: AssetRecord): Promise<void> {
  const { id, title, folder } = asset
  const { status, body } = await caller.get<assets.Asset>(`assets/${id}/`)
  const what = `asset ${id}`
  if (status !== 200) return void violations.lost.push(`${what}: ${status}, ${acknowledgedText(title)}`)
  compare(violations, what, title, body.title)
  compare(violations, what, folder, body.parent_id)
  const path = `assets/${id}/chapters/`
  const listed = await caller.get<{ results: chapters.Chapter[] }>(path)
  if (listed.status !== 200) return void violations.wrong.push(`${path} returned ${listed.text}`)
  const titles = new Map(listed.body.results.map((chapter) => [chapter.id, chapter.title]))
  for (const chapter of asset.chapters.values()) {
    const seen = titles.get(chapter.id) ?? null
    compare(violations, `chapter ${chapter.id} of ${id}`, chapter.title, seen)
  }
  if (asset.uncertainSeconds.size > 0) return
  const unknown = listed.body.results.filter((chapter) => !asset.chapters.has(chapter.id))
  violations.wrong.push(...unknown.map((one) => `unknown chapter ${one.id} of ${id}: ${one.title}`))
}

function compare(violations: Violations, what: string, field: Field, seen: string | null): void {
  if (field.possible.includes(seen)) return
  const violation = `${what} is ${seen}, expected ${field.possible.join(' or ')}, ${acknowledgedText(field)}`
  violations[seen === null || field.past.has(seen) ? 'lost' : 'wrong'].push(violation)
}

const acknowledgedText = ({ at }: Field) => `acknowledged at ${new Date(at).toISOString()}`

async function verifyFile(
  violations: Violations & { videosCompleted: number },
  caller: Caller,
  record: AssetRecord,
  deadline: number,
): Promise<void> {
  const { id, file } = record
  const what = `file of ${id}, ${file.bytes} bytes by ${file.method}`
  const { upload, asset } = await waitUntilEnded(caller, record, deadline)
  if (upload.body.status !== 'Completed') {
    if (isVideoExpected(file)) violations.lost.push(`${what}: ${upload.text}`)
    return
  }
  const { bytes, video } = asset.body
  if (bytes !== file.bytes) violations.wrong.push(`${what}: has ${bytes} bytes`)
  if (video.status === 'Completed') violations.videosCompleted += isVideoExpected(file) ? 1 : 0
  else violations.wrong.push(`${what}: ${video.status} ${video.error?.detail}`)
  if (video.status === 'Completed' && !video.playback_url) violations.wrong.push(`${what}: has no playback URL`)
  if (video.playback_url) await verifyPlays(violations, caller, what, video.playback_url)
}

/** Polls until the status of the video is final, or the time limit passes. */
async function waitUntilEnded(caller: Caller, { id, session }: AssetRecord, deadline: number) {
  for (;;) {
    const path = `assets/upload-sessions/${session}/`
    const upload = await caller.get<uploadSessions.UploadSessionDetails>(path)
    const asset = await caller.get<assets.Asset>(`assets/${id}/`)
    const isUploaded = upload.body.status === 'Completed'
    const isDone = isUploaded && isEnded(asset.body.video?.status)
    if (isDone || performance.now() > deadline) return { upload, asset }
    await sleep(POLL_MILLISECONDS)
  }
}

const isEnded = (status: string | undefined) => status === 'Completed' || status === 'Error' || status === 'Cancelled'

/** Plays the first segment of a video. */
export async function verifyPlays(
  violations: Pick<Violations, 'wrong'>,
  caller: Caller,
  what: string,
  playbackUrl: string,
): Promise<void> {
  let address = playbackUrl
  for (const part of ['multivariant playlist', 'media playlist', 'first segment']) {
    const { status, text } = await caller.get(address)
    if (status !== 200) return void violations.wrong.push(`${what}: its ${part} returned ${status}`)
    const next = text.split('\n').find((line) => line !== '' && !line.startsWith('#'))
    address = new URL(next ?? '', address).href
  }
}
