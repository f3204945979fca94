/** A video with everything that a restore must bring back, and a record of it. */
import { isDeepStrictEqual } from 'node:util'
import type { assets, subtitles } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { protectAsset } from '@reelkeep/server/modules/content-keys/content-keys.ts'
import type { KeyRing } from '@reelkeep/server/platform/config/key-settings.ts'
import type { Database } from '@reelkeep/server/platform/db/database.ts'
import { type Caller, type Objects, openSession, type Publisher, type Superuser, shortPlan } from '@reelkeep/testkit'

/** Connections that the videos of all schedules share. */
export type Tools = {
  readonly superuser: Superuser
  readonly owner: Database
  readonly keyRing: KeyRing
  readonly publisher: Publisher
  /** The buckets of uploads and of media. */
  readonly buckets: readonly [uploads: Objects, media: Objects]
  /** Requests a path from an API process that is never killed and gets no other requests. */
  readonly play: (path: string) => Promise<{ readonly status: number; readonly text: string }>
}

export type Video = {
  readonly id: string
  readonly folder: string | null
  /** Path of the playlists, keys and segments, with a playback token. */
  readonly base: string
  readonly files: readonly string[]
  /** The state after creation. */
  readonly state: VideoState
  /** Whether callers upload versions of it. Then its files and its state are those of its versions. */
  readonly isReplaced: boolean
  /** Text in the segments, and files, of each version that was uploaded. */
  readonly versions: Map<number, { readonly text: string; readonly files: readonly string[] }>
  /** Whether a hold was ever requested: a hold changes `updated_at`. */
  wasHeld: boolean
  /** Whether the deletion of its folder was ever requested: a restore while the folder is deleted moves it to the root. */
  wasFolderDeleted: boolean
}

/** Rows of each table, and responses by path. */
type VideoState = { readonly rows: Record<string, Row[]>; readonly responses: Record<string, string> }

const SEGMENTS = 2
const segmentNames = Array.from({ length: SEGMENTS }, (_, number) => `video-encode-1/240p/0000${number}.m4s`)
const vtt = (text: string) => `WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n${text}\n`

export async function newVideo(
  tools: Tools,
  caller: Caller,
  { number, folder, isReplaced = false }: { number: number; folder: string | null; isReplaced?: boolean },
): Promise<Video> {
  const isProtected = number % 2 === 0 && !isReplaced
  const { asset } = await openSession(caller, {
    title: `Video ${number}`,
    folder,
    description: `Description\nof ${number}`,
    tags: ['all', `Number ${number}`],
    external_id: `external ${number}`,
    metadata: { number: String(number) },
    content_protection_type: isProtected ? 'aes' : 'disable',
  })
  const ref = { organizationId: caller.organizationId, assetId: asset.id }
  if (isProtected) {
    const db = tools.owner.forOrganization(caller.organizationId as OrganizationId)
    await protectAsset(tools.keyRing, db, { id: asset.id as AssetId })
  }
  await publishMedia(tools, ref, asset.id)
  await finishUpload(tools, ref)
  await addTracks(caller, asset.id)
  const { body } = await caller.get<assets.Asset>(`assets/${asset.id}/`)
  const base = new URL('.', body.video.playback_url ?? '').pathname
  const files = await filesOf(tools, ref)
  const versions: Video['versions'] = new Map([[1, { text: asset.id, files: files.filter(isOfVersion) }]])
  const video = { id: asset.id, folder, base, files, isReplaced, versions, wasHeld: false, wasFolderDeleted: false }
  return { ...video, state: await readState(tools, caller, video) }
}

/** Publishes segments that contain this text. */
export async function publishMedia({ publisher }: Tools, ref: OwnRef, text: string): Promise<void> {
  await publisher.plan(ref, shortPlan(SEGMENTS))
  await publisher.publish(ref, {
    ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
    segments: segmentNames.map((name) => ({ body: `${text} ${name}`, seconds: 4 })),
  })
  await publisher.showPictures(ref, 'video-pictures-2', {
    ...{ cover: 'cover.jpg', thumbnails: ['1.jpg', '2.jpg'], storyboard: 'storyboard.vtt' },
  })
}

async function addTracks(caller: Caller, id: string): Promise<void> {
  const chapters = [
    { start_time: '00:00:00', title: 'Start' },
    { start_time: '00:00:05', title: 'End' },
  ]
  const added = await caller.post(`assets/${id}/chapters/`, { chapters })
  if (added.status !== 201) throw new Error(`Cannot add chapters: ${added.text}`)
  for (const language of ['de', 'en']) {
    const { status, text } = await caller.post(`assets/${id}/subtitles/`, { language, content: vtt(language) })
    if (status !== 201) throw new Error(`Cannot add a subtitle track: ${text}`)
  }
}

/** Records a finished upload in a row of assets: of an asset, or of a version. */
export async function finishUpload({ superuser, buckets }: Tools, { organizationId, assetId }: OwnRef): Promise<void> {
  const { key, version } = await buckets[0].put(`${organizationId}/${assetId}/source`, SOURCE)
  await superuser.query(
    `update assets set status = 'Completed', duration_seconds = 8, bytes = $2, source_key = $3, source_version = $4
     where id = $1`,
    [assetId, SOURCE.length, key, version],
  )
  await superuser.query(
    `update upload_sessions set status = 'Completed', ended_at = now(), look_at = null where asset_id = $1`,
    [assetId],
  )
}

const SOURCE = 'a source file'

type OwnRef = Required<VideoRef>
type VideoRef = { readonly organizationId: string; readonly assetId?: string }

/** Whether a file is deleted with its version. Uploaded subtitles belong to the asset. */
export const isOfVersion = (file: string) => !file.includes('/subtitles/')

/** Names of all objects of the asset, or of the organization, in both buckets. */
export async function filesOf({ buckets }: Tools, { organizationId, assetId }: VideoRef): Promise<string[]> {
  const prefix = assetId === undefined ? `${organizationId}/` : `${organizationId}/${assetId}/`
  const found = await Promise.all(buckets.map((bucket) => bucket.versions(prefix)))
  return found
    .flat()
    .map(({ key, version }) => `${key} ${version}`)
    .toSorted()
}

/** Tables with rows of assets that a restore need not bring back: records of what happened. */
const records = ['asset_happenings', 'event_outbox', 'events']

export async function readState(
  tools: Tools,
  caller: Caller,
  { id, base }: Pick<Video, 'id' | 'base'>,
): Promise<VideoState> {
  const responses: Record<string, string> = {}
  const paths = [`assets/${id}/chapters/`, `assets/${id}/subtitles/`]
  for (const path of paths) responses[path] = (await caller.send('GET', path)).text
  const tracks = await caller.get<{ results: subtitles.Subtitle[] }>(`assets/${id}/subtitles/`)
  for (const { id: track } of tracks.body.results ?? []) {
    const path = `assets/${id}/subtitles/${track}/`
    responses[path] = (await caller.send('GET', path)).text
  }
  for (const name of ['master.m3u8', '240p.m3u8', 'keys/0.key', ...segmentNames]) {
    const { status, text } = await tools.play(base + name)
    responses[name] = `${status} ${status === 200 ? text : ''}`
  }
  return { rows: await rowsOf(tools, id), responses }
}

async function rowsOf({ superuser }: Tools, id: string): Promise<Record<string, Row[]>> {
  const tables = await superuser.query<{ name: string }>(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and column_name = 'asset_id' and table_type = 'BASE TABLE'
       and table_name <> all ($1) order by 1`,
    [records],
  )
  const rows: Record<string, Row[]> = {}
  for (const [name, column] of [...tables.map((table) => [table.name, 'asset_id']), ['assets', 'id']]) {
    const found = await superuser.query<{ row: Row }>(
      `select to_jsonb(one) as row from ${name} as one where ${column} = $1 order by to_jsonb(one)::text`,
      [id],
    )
    rows[String(name)] = found.map(({ row }) => row)
  }
  return rows
}

/** Returns how a listed video differs from what was created; an empty list if it is equal in every field and byte. */
export async function differencesOf(tools: Tools, caller: Caller, video: Video): Promise<string[]> {
  const { rows, responses } = await readState(tools, caller, video)
  const found: string[] = []
  for (const path of new Set([...Object.keys(video.state.responses), ...Object.keys(responses)])) {
    const [before, after] = [video.state.responses[path], responses[path]]
    if (before !== after) found.push(`${path} was ${before}, is ${after}`)
  }
  for (const [table, before] of Object.entries(video.state.rows)) {
    const after = rows[table] ?? []
    if (before.length !== after.length) found.push(`${table} had ${before.length} rows, has ${after.length}`)
    for (const [index, row] of before.entries()) found.push(...columnDifferences(video, { table, row }, after[index]))
  }
  return found.map((difference) => `video ${video.id}: ${difference}`)
}

type Row = Record<string, unknown>

/** A restored video may be in the root if its folder was deleted, and a hold changes when it was updated. */
function columnDifferences(video: Video, { table, row }: { table: string; row: Row }, after: Row = {}): string[] {
  return Object.keys(row)
    .filter((column) => !isDeepStrictEqual(row[column], after[column]))
    .filter((column) => !(column === 'updated_at' && video.wasHeld))
    .filter((column) => !(column === 'folder_uuid' && video.wasFolderDeleted && after[column] === null))
    .map((column) => `${table}.${column} was ${JSON.stringify(row[column])}, is ${JSON.stringify(after[column])}`)
}
