/** Versions of the videos that callers replace: their upload, rollback and the checks at the end. */
import type { versions } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import type { TrashContext } from './trash-context.ts'
import { filesOf, finishUpload, isOfVersion, publishMedia, readState, type Tools, type Video } from './trash-video.ts'

/** Uploads and processes another version, then shows it. Another caller may delete the video at any time. */
export async function replace(context: TrashContext, video: Video): Promise<void> {
  const { caller, tools } = context
  const { status, body, text } = await caller.post<versions.NewVersion>(`assets/${video.id}/versions/`, {})
  if (status !== 201) return expectRefusal(context, status, text)
  const { number } = body.version
  const [row] = await tools.superuser.query<{ id: string }>(
    'select media_id as id from asset_versions where asset_id = $1 and number = $2',
    [video.id, number],
  )
  if (!row) return
  const ref = { organizationId: caller.organizationId, assetId: row.id }
  const content = `${video.id} version ${number}`
  // Inserts rows that refer to the video, so it fails if the video is gone.
  const isPublished = await publishMedia(tools, ref, content).then(
    () => true,
    () => false,
  )
  if (isPublished) await finishUpload(tools, ref)
  video.versions.set(number, { text: content, files: await filesOf(tools, ref) })
  await deleteLateFiles(tools, ref)
  await activate(context, video, number)
}

/** The suite stores the files of the version, as a worker would. If the row was deleted meanwhile, it deletes them. */
async function deleteLateFiles(tools: Tools, ref: { organizationId: string; assetId: string }): Promise<void> {
  const rows = await tools.superuser.query('select from assets where id = $1', [ref.assetId])
  if (rows.length > 0) return
  for (const bucket of tools.buckets) {
    for (const file of await bucket.versions(`${ref.organizationId}/${ref.assetId}/`)) await bucket.delete(file)
  }
}

export async function rollBack(context: TrashContext, video: Video): Promise<void> {
  const { body } = await context.caller.get<{ results?: versions.Version[] }>(`assets/${video.id}/versions/`)
  const earlier = body.results?.find(({ is_active, status }) => !is_active && status === 'Completed')
  if (earlier) await activate(context, video, earlier.number)
}

async function activate(context: TrashContext, video: Video, number: number): Promise<void> {
  const { status, text } = await context.caller.post(`assets/${video.id}/versions/${number}/activate/`)
  if (status !== 200) expectRefusal(context, status, text)
}

/** The video or the version is gone, or a version could not be processed, or a hold keeps its older version. */
function expectRefusal({ violations }: TrashContext, status: number, text: string): void {
  const isExpected =
    status === 404 || (status === 409 && /"(legal_hold|version_not_playable|too_many_versions)"/.test(text))
  if (!isExpected) violations.push(`a replacement was refused with ${status} ${text}`)
}

/** The version that is shown, and all versions with a row. */
async function versionsOf({ superuser }: Tools, { id }: Video): Promise<{ shown: number; kept: readonly number[] }> {
  const [row] = await superuser.query<{ shown: number; kept: number[] }>(
    `select version as shown, (select array_agg(number) from asset_versions where asset_id = id) as kept
     from assets where id = $1`,
    [id],
  )
  return { shown: row?.shown ?? 1, kept: row?.kept ?? [1] }
}

/** The files that storage must have for a video with a row. */
export async function expectedFiles(tools: Tools, video: Video): Promise<string[]> {
  if (!video.isReplaced) return [...video.files]
  const { kept } = await versionsOf(tools, video)
  const ofVersions = kept.flatMap((number) => video.versions.get(number)?.files ?? [])
  return [...video.files.filter((file) => !isOfVersion(file)), ...ofVersions]
}

/** Chapters and subtitles must be those of the asset, and the segments those of the version that is shown. */
export async function versionDifferences(tools: Tools, caller: Caller, video: Video): Promise<string[]> {
  const { responses } = await readState(tools, caller, video)
  const found = Object.entries(video.state.responses)
    .filter(([path, before]) => path.startsWith('assets/') && responses[path] !== before)
    .map(([path, before]) => `${path} was ${before}, is ${responses[path]}`)
  const { shown } = await versionsOf(tools, video)
  const segment = await firstSegment(tools, video)
  const expected = video.versions.get(shown)?.text
  if (!expected || !segment.startsWith(expected)) found.push(`version ${shown} is shown, but ${segment} is played`)
  return found.map((difference) => `video ${video.id}: ${difference}`)
}

/** Follows the playlists like a player. */
async function firstSegment({ play }: Tools, { base }: Video): Promise<string> {
  const master = await play(`${base}master.m3u8`)
  const playlistPath = new URL(uriIn(master.text), `http://host${base}`).pathname
  const playlist = await play(playlistPath)
  const { status, text } = await play(new URL(uriIn(playlist.text), `http://host${playlistPath}`).pathname)
  return status === 200 ? text : `status ${status}`
}

/** The first line of a playlist that is not a tag. */
const uriIn = (playlist: string) => playlist.split('\n').find((line) => line !== '' && !line.startsWith('#')) ?? ''
