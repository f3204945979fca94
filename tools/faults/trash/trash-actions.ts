/** The actions of concurrent callers on the videos and folders of one organization. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { assets } from '@reelkeep/contract'
import type { TrashContext } from './trash-context.ts'
import { replace, rollBack } from './trash-versions.ts'
import type { Video } from './trash-video.ts'

const FOLDERS = 'assets/folders/'

export type TrashAction = {
  readonly what: keyof typeof handlers
  /** Pause after the caller's previous action. */
  readonly pauseMilliseconds: number
  /** Selects a video or folder: a fraction from 0 to 1 of their number. */
  readonly which: number
  /** Duration of a hold. */
  readonly holdMilliseconds: number
}

export async function runActions(context: TrashContext, actions: readonly TrashAction[]): Promise<void> {
  for (const action of actions) {
    await sleep(action.pauseMilliseconds)
    await handlers[action.what](context, action)
  }
}

const handlers = {
  'delete asset': (context, action) => remove(context, `assets/${videoOf(context, action).id}/`),
  'purge asset': async (context, action) => {
    const { id } = videoOf(context, action)
    context.mayBePurged.add(id)
    await remove(context, `assets/${id}/?permanently=true`)
  },
  'restore asset': (context, action) => restore(context, `assets/${videoOf(context, action).id}/restore/`),
  'delete folder': async (context, action) => {
    for (const video of context.videos) video.wasFolderDeleted = true
    await remove(context, `${FOLDERS}${folderOf(context, action)}/?recursive=true`)
  },
  'purge folder': async (context, action) => {
    // The folders contain each other: deleting one may purge any video that is in a folder.
    for (const video of context.videos) {
      video.wasFolderDeleted = true
      if (video.folder !== null) context.mayBePurged.add(video.id)
    }
    await remove(context, `${FOLDERS}${folderOf(context, action)}/?recursive=true&permanently=true`)
  },
  'restore folder': (context, action) => restore(context, `${FOLDERS}${folderOf(context, action)}/restore/`),
  'delete in bulk': (context, action) => inBulk(context, 'delete', action),
  'restore in bulk': (context, action) => inBulk(context, 'restore', action),
  'purge in bulk': (context, action) => inBulk(context, 'purge', action),
  replace: (context, action) => ofReplaced(context, action, replace),
  'roll back': (context, action) => ofReplaced(context, action, rollBack),
  'end time in trash': endTimeInTrash,
  'hold asset': holdAsset,
  'hold folder': holdFolder,
  play,
} satisfies Record<string, (context: TrashContext, action: TrashAction) => Promise<unknown>>

type Chosen = Pick<TrashAction, 'which'>

const videoOf = ({ videos }: TrashContext, { which }: Chosen) => videos[Math.floor(which * videos.length)] as Video
const folderOf = ({ folders }: TrashContext, { which }: Chosen) => folders[Math.floor(which * folders.length)] as string

/** Also a restore is refused if it would move something out of a folder on hold. */
const isOnHold = (status: number, text: string) => status === 409 && text.includes('"legal_hold"')

/** Changes half of the videos by one operation, which a worker runs. */
async function inBulk(context: TrashContext, action: 'delete' | 'restore' | 'purge', { which }: Chosen): Promise<void> {
  const { caller, videos, mayBePurged, violations } = context
  const first = Math.floor(which * videos.length)
  const ids = [...videos, ...videos].slice(first, first + videos.length / 2).map(({ id }) => id)
  if (action === 'purge') for (const id of ids) mayBePurged.add(id)
  const key = { 'Idempotency-Key': crypto.randomUUID() }
  const { status, text } = await caller.post('bulk-operations/', { action, ids }, key)
  if (status !== 201) violations.push(`a bulk ${action} returned ${status} ${text}`)
}

async function ofReplaced(
  context: TrashContext,
  action: Chosen,
  run: (context: TrashContext, video: Video) => Promise<void>,
): Promise<void> {
  const videos = context.videos.filter(({ isReplaced }) => isReplaced)
  await run(context, videoOf({ ...context, videos }, action))
}

async function remove({ caller, violations }: TrashContext, path: string): Promise<void> {
  const { status, text } = await caller.delete(path)
  if (status !== 204 && status !== 404 && !isOnHold(status, text))
    violations.push(`DELETE ${path} returned ${status} ${text}`)
}

async function restore({ caller, violations }: TrashContext, path: string): Promise<void> {
  const { status, text } = await caller.post(path, {})
  if (status !== 200 && status !== 404 && !isOnHold(status, text))
    violations.push(`POST ${path} returned ${status} ${text}`)
}

/** Ends the time in the trash of one video or one folder, and makes a worker run the purge. */
async function endTimeInTrash(context: TrashContext, action: Chosen): Promise<void> {
  const { superuser } = context.tools
  const [table, column, id] =
    action.which < 0.7
      ? ['assets', 'id', videoOf(context, action).id]
      : ['folders', 'uuid', folderOf(context, { which: (action.which - 0.7) / 0.3 })]
  for (const video of context.videos) {
    if (video.id === id || (table === 'folders' && video.folder !== null)) context.mayBePurged.add(video.id)
  }
  await superuser.query(`update ${table} set purge_at = now() where ${column} = $1 and deleted_at is not null`, [id])
  await superuser.query(`update schedules set due_at = now() where name = 'purge-trash'`)
}

/** Places a hold on a listed video, which must then stay listed until the hold is lifted. */
async function holdAsset(context: TrashContext, action: TrashAction): Promise<void> {
  const { caller, violations } = context
  const video = videoOf(context, action)
  await exclusively(context, video.id, async () => {
    video.wasHeld = true
    const path = `assets/${video.id}/`
    if ((await caller.patch(path, { legal_hold: true })).status !== 200) return
    await sleep(action.holdMilliseconds)
    const { status, body } = await caller.get<assets.Asset>(path)
    if (status !== 200 || !body.legal_hold) violations.push(`video ${video.id} was on hold, but is ${status}`)
    await caller.patch(path, { legal_hold: false })
  })
}

/** Places a hold on a folder: what is listed in it must stay listed, and what is in the trash must not be purged. */
async function holdFolder(context: TrashContext, action: TrashAction): Promise<void> {
  const { caller, violations } = context
  const folder = folderOf(context, action)
  await exclusively(context, folder, async () => {
    const path = `${FOLDERS}${folder}/`
    if ((await caller.patch(path, { legal_hold: true })).status !== 200) return
    const before = await contentsOf(context, folder)
    await sleep(action.holdMilliseconds)
    const after = new Map((await contentsOf(context, folder)).map((row) => [row.id, row]))
    for (const { id, isListed } of before) {
      const now = after.get(id)
      if (!now) violations.push(`video ${id} was purged from folder ${folder}, which was on hold`)
      if (isListed && now?.isListed === false) violations.push(`video ${id} was deleted from the held folder ${folder}`)
    }
    await caller.patch(path, { legal_hold: false })
  })
}

/** Does nothing if another caller has a hold on the same resource. */
async function exclusively({ held }: TrashContext, id: string, run: () => Promise<void>): Promise<void> {
  if (held.has(id)) return
  held.add(id)
  await run()
  held.delete(id)
}

/** The videos directly in the folder. */
const contentsOf = ({ tools }: TrashContext, folder: string) =>
  tools.superuser.query<{ id: string; isListed: boolean }>(
    'select id, is_listed as "isListed" from assets where folder_uuid = $1',
    [folder],
  )

/** Playback returns the right bytes or refuses. */
async function play(context: TrashContext, action: Chosen): Promise<void> {
  const { id, base, state, isReplaced } = videoOf(context, action)
  if (isReplaced) return
  const name = 'video-encode-1/240p/00000.m4s'
  const { status, text } = await context.tools.play(base + name)
  const isRight = status === 404 || `${status} ${text}` === state.responses[name]
  if (!isRight) context.violations.push(`video ${id}: playback returned ${status} ${text}`)
}
