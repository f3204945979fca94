/** Invariants after all callers and faults have ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { events } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import { readLog } from '../events/event-log.ts'
import type { TrashContext } from './trash-context.ts'
import { expectedFiles, versionDifferences } from './trash-versions.ts'
import { differencesOf, filesOf, type Tools, type Video } from './trash-video.ts'

type Place = 'listed' | 'trash' | 'gone'

/** Where each video is, by the rows of the database. */
export async function placesOf({ superuser }: Tools, videos: readonly Video[]): Promise<Map<string, Place>> {
  const rows = await superuser.query<{ id: string; isListed: boolean }>(
    'select id, is_listed as "isListed" from assets where id = any ($1)',
    [videos.map(({ id }) => id)],
  )
  const found = new Map<string, Place>(rows.map(({ id, isListed }) => [id, isListed ? 'listed' : 'trash']))
  return new Map(videos.map(({ id }) => [id, found.get(id) ?? 'gone']))
}

/** Checks rows, lists, counts and events. */
export async function stateViolations({ tools, caller, videos, mayBePurged }: TrashContext): Promise<string[]> {
  const places = await placesOf(tools, videos)
  const found = await eventViolations(caller, places)
  for (const [id, place] of places) {
    if (place === 'gone' && !mayBePurged.has(id)) found.push(`video ${id} is gone, but no request purged it`)
  }
  const listed = [...places.values()].filter((place) => place === 'listed').length
  for (const path of ['assets/', 'assets/?tag=all']) {
    const { body } = await caller.get<{ count: number; results: unknown[] }>(path)
    if (body.count !== listed || body.results.length !== listed)
      found.push(`${path} counts ${body.count} and lists ${body.results.length}, but ${listed} are listed`)
  }
  return found
}

/** The place of a video after an event about it; undefined if the event cannot follow. */
function placeAfter(place: Place, { type, data }: events.Event): Place | undefined {
  if (type === 'asset.deleted' && place === 'listed') return isFinal(data) ? 'gone' : 'trash'
  if (type === 'asset.restored' && place === 'trash') return 'listed'
  if (type === 'asset.purged' && place === 'trash') return 'gone'
  return undefined
}

const isFinal = (data: object) => (data as { purge_at?: string | null }).purge_at === null

/** The events must lead each video to its place, with no event missing, repeated or out of order. */
async function eventViolations(caller: Caller, places: ReadonlyMap<string, Place>): Promise<string[]> {
  const found: string[] = []
  const current = new Map<string, Place>()
  for (const event of await readLog(caller)) {
    if (!/^asset\.(deleted|restored|purged)$/.test(event.type)) continue
    const id = (event.data as { id: string }).id
    const place = placeAfter(current.get(id) ?? 'listed', event)
    if (place) current.set(id, place)
    else found.push(`video ${id} is ${current.get(id) ?? 'listed'} before ${event.type}`)
  }
  for (const [id, place] of places) {
    const last = current.get(id) ?? 'listed'
    if (last !== place) found.push(`video ${id} is ${place}, but ${last} by its events`)
  }
  return found
}

/** Restores everything that is in the trash, and compares every video with what was created. */
export async function restoreViolations(context: TrashContext): Promise<string[]> {
  const { tools, caller, videos, folders } = context
  for (const folder of folders) await caller.post(`assets/folders/${folder}/restore/`, {})
  const found: string[] = []
  for (const video of videos) {
    if ((await placesOf(tools, [video])).get(video.id) === 'trash') {
      const { status, text } = await caller.post(`assets/${video.id}/restore/`, {})
      if (status !== 200) found.push(`video ${video.id}: its restore returned ${status} ${text}`)
    }
  }
  for (const video of videos) {
    const place = (await placesOf(tools, [video])).get(video.id)
    if (place === 'gone') continue
    const compare = video.isReplaced ? versionDifferences : differencesOf
    found.push(...(await compare(tools, caller, video)))
  }
  return found
}

/** Storage must hold the files of the videos that have a row, and no others. Waits for the deletions of the workers. */
export async function storageViolations({ tools, caller, videos }: TrashContext, deadline: number): Promise<string[]> {
  const { organizationId } = caller
  for (;;) {
    const places = await placesOf(tools, videos)
    const kept = videos.filter(({ id }) => places.get(id) !== 'gone')
    const expected = (await Promise.all(kept.map((video) => expectedFiles(tools, video)))).flat()
    const stored = await filesOf(tools, { organizationId })
    const missing = expected.filter((file) => !stored.includes(file))
    if (missing.length > 0) return missing.map((file) => `file ${file} is missing`)
    if (stored.length === expected.length) return []
    if (performance.now() > deadline) {
      return stored.filter((file) => !expected.includes(file)).map((file) => `file ${file} belongs to no row`)
    }
    await sleep(100)
  }
}

export type PlaybackDelays = { readonly stopped: number; readonly returned: number }

/** Deletes and restores a video, and returns the seconds until another API process follows. */
export async function measurePlayback({ tools, caller, videos }: TrashContext): Promise<PlaybackDelays | undefined> {
  const places = await placesOf(tools, videos)
  const video = videos.find(({ id, isReplaced }) => places.get(id) === 'listed' && !isReplaced)
  if (!video) return undefined
  // A viewer is playing: the process has cached what it needs for the playlist and the segments.
  await tools.play(`${video.base}master.m3u8`)
  await caller.delete(`assets/${video.id}/`)
  const stopped = await secondsUntil(tools, video, (status) => status !== 200)
  await caller.post(`assets/${video.id}/restore/`, {})
  const returned = await secondsUntil(tools, video, (status) => status === 200)
  return { stopped, returned }
}

async function secondsUntil(tools: Tools, { base }: Video, isReached: (status: number) => boolean): Promise<number> {
  const start = performance.now()
  const seconds = () => (performance.now() - start) / 1000
  for (;;) {
    const names = ['master.m3u8', '240p.m3u8', 'video-encode-1/240p/00000.m4s']
    const responses = await Promise.all(names.map((name) => tools.play(base + name)))
    if (responses.every(({ status }) => isReached(status)) || seconds() > GIVE_UP_SECONDS) return seconds()
    await sleep(20)
  }
}

const GIVE_UP_SECONDS = 60
