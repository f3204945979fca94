/** Compares the acknowledged changes of a load with the state of the service. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { assets, chapters, folders, uploadSessions } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import {
  type AssetRecord,
  type Field,
  type FolderRecord,
  isOwed,
  type LoadRecord,
} from './load-record.ts'
import { type Findings, readLog, verifyLog } from './verify-log.ts'

export type LoadVerdict = {
  /** Acknowledged changes that are missing. */
  readonly lost: readonly string[]
  /** Created more than once, or completed more than once. */
  readonly doubled: readonly string[]
  /** Everything unrequested: values, event numbers, videos that do not play. */
  readonly wrong: readonly string[]
  /** Files that must have become videos. */
  readonly files: number
  readonly videosCompleted: number
}

export type VerifyOptions = {
  /** Whether every video whose file was acknowledged must be completed and play (yes). */
  readonly areVideosDone?: boolean
  /** Time limit for uploads to be detected and videos to be processed (180). */
  readonly patienceSeconds?: number
}

const AT_ONCE = 4
const LOOK_MILLISECONDS = 500

export async function verifyLoad(
  record: LoadRecord,
  caller: Caller,
  options: VerifyOptions = {},
): Promise<LoadVerdict> {
  const found = { lost: [], doubled: [], wrong: [...record.wrongReads], videosCompleted: 0 }
  const { areVideosDone = true, patienceSeconds = 180 } = options
  const deadline = performance.now() + patienceSeconds * 1000
  await each(record.folders, (folder) => verifyFolder(found, caller, folder))
  await each(record.assets, (asset) => verifyAsset(found, caller, asset))
  const stored = record.assets.filter(({ file }) => file.storedAt !== undefined)
  await each(stored, (asset) => verifyFile(found, caller, asset, { areVideosDone, deadline }))
  const log = await readLog(caller)
  verifyLog(found, record, log)
  found.wrong.push(...record.stream.faults)
  return { ...found, files: stored.filter(({ file }) => isOwed(file)).length }
}

async function verifyFolder(found: Findings, caller: Caller, folder: FolderRecord): Promise<void> {
  const { uuid, title, parent } = folder
  const { status, body } = await caller.get<folders.FolderDetails>(`assets/folders/${uuid}/`)
  const what = `folder ${uuid}`
  if (status !== 200) return void found.lost.push(`${what}: ${status}, ${toldAt(title)}`)
  compare(found, what, title, body.title)
  compare(found, what, parent, body.parent)
}

async function verifyAsset(found: Findings, caller: Caller, asset: AssetRecord): Promise<void> {
  const { id, title, folder } = asset
  const { status, body } = await caller.get<assets.Asset>(`assets/${id}/`)
  const what = `asset ${id}`
  if (status !== 200) return void found.lost.push(`${what}: ${status}, ${toldAt(title)}`)
  compare(found, what, title, body.title)
  compare(found, what, folder, body.parent_id)
  const path = `assets/${id}/chapters/`
  const listed = await caller.get<{ results: chapters.Chapter[] }>(path)
  if (listed.status !== 200) return void found.wrong.push(`${path} returned ${listed.text}`)
  const titles = new Map(listed.body.results.map((chapter) => [chapter.id, chapter.title]))
  for (const chapter of asset.chapters.values()) {
    const seen = titles.get(chapter.id) ?? null
    compare(found, `chapter ${chapter.id} of ${id}`, chapter.title, seen)
  }
  if (asset.uncertainSeconds.size > 0) return
  const unknown = listed.body.results.filter((chapter) => !asset.chapters.has(chapter.id))
  found.wrong.push(...unknown.map((one) => `unknown chapter ${one.id} of ${id}: ${one.title}`))
}

function compare(found: Findings, what: string, field: Field, seen: string | null): void {
  if (field.possible.includes(seen)) return
  const fault = `${what} is ${seen}, expected ${field.possible.join(' or ')}, ${toldAt(field)}`
  found[seen === null || field.past.has(seen) ? 'lost' : 'wrong'].push(fault)
}

const toldAt = ({ at }: Field) => `acknowledged at ${new Date(at).toISOString()}`

type Finding = Findings & { videosCompleted: number }

type FileWish = { readonly areVideosDone: boolean; readonly deadline: number }

async function verifyFile(
  found: Finding,
  caller: Caller,
  record: AssetRecord,
  wish: FileWish,
): Promise<void> {
  const { id, file } = record
  const what = `file of ${id}, ${file.bytes} bytes by ${file.way}`
  const { upload, asset } = await untilEnded(caller, record, wish)
  if (upload.body.status !== 'Completed') {
    if (isOwed(file)) found.lost.push(`${what}: ${upload.text}`)
    return
  }
  const { bytes, video } = asset.body
  if (bytes !== file.bytes) found.wrong.push(`${what}: has ${bytes} bytes`)
  if (video.status === 'Completed') found.videosCompleted += isOwed(file) ? 1 : 0
  else if (wish.areVideosDone) found.wrong.push(`${what}: ${video.status} ${video.error?.detail}`)
  if (video.playback_url) await verifyPlays(found, caller, what, video.playback_url)
}

/** Polls until its state is final, or the time limit passes. */
async function untilEnded(
  caller: Caller,
  { id, session }: AssetRecord,
  { areVideosDone, deadline }: FileWish,
) {
  for (;;) {
    const path = `assets/upload-sessions/${session}/`
    const upload = await caller.get<uploadSessions.UploadSessionDetails>(path)
    const asset = await caller.get<assets.Asset>(`assets/${id}/`)
    const isUploaded = upload.body.status === 'Completed'
    const isDone = isUploaded && (!areVideosDone || isEnded(asset.body.video?.status))
    if (isDone || performance.now() > deadline) return { upload, asset }
    await sleep(LOOK_MILLISECONDS)
  }
}

const isEnded = (status: string | undefined) =>
  status === 'Completed' || status === 'Error' || status === 'Cancelled'

/** The multivariant playlist, the first media playlist, its first segment. */
async function verifyPlays(
  found: Findings,
  caller: Caller,
  what: string,
  playbackUrl: string,
): Promise<void> {
  let address = playbackUrl
  for (const part of ['master playlist', 'playlist', 'piece']) {
    const { status, text } = await caller.get(address)
    if (status !== 200) return void found.wrong.push(`${what}: its ${part} returned ${status}`)
    const next = text.split('\n').find((line) => line !== '' && !line.startsWith('#'))
    address = new URL(next ?? '', address).href
  }
}

async function each<Thing>(
  things: readonly Thing[],
  look: (thing: Thing) => Promise<void>,
): Promise<void> {
  const waiting = [...things]
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let thing = waiting.shift(); thing !== undefined; thing = waiting.shift()) {
      await look(thing)
    }
  })
  await Promise.all(workers)
}
