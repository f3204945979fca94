/**
 * An organization moves to another cell.
 *
 * While everything goes on, its objects are copied and Postgres carries its rows over (rows.ts).
 * Then it is held at the source: from here until it is released at the destination, writes are
 * refused. What was committed last arrives, the directory and the router change, nothing is
 * answered at the source any more, and it is released. At no time do both cells take writes, and
 * nothing is read where it is old.
 *
 * Whoever is killed in between is run again. How far a move has come stands in three places that
 * outlive it: the directory (that it has begun, and whether everything has arrived), the holds of
 * both databases, and the subscription. Every step is done again or found done.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OnNumbered } from '../../capabilities/events/events.ts'
import { settleEvents } from '../../capabilities/events/events.ts'
import {
  holdOrganization,
  markGone,
  markLedHere,
  moverDb,
  releaseOrganization,
} from '../../capabilities/holds/holds.ts'
import { giveBackAllWebhooks } from '../../capabilities/webhooks/webhooks.ts'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { cancelJobs, carryJobs } from '../../platform/jobs/moving-jobs.ts'
import { type CellName, type Directory, moveOf, type UnderWay } from '../directory.rules.ts'
import { readDirectory, writeMove, writePlacement } from '../directory.ts'
import { type Placement, placement, requireCell } from '../placement.ts'
import { carryUploads, followUploads } from './files/following.ts'
import { listUnpinned, pinArrived } from './files/pins.ts'
import { carryObjects } from './files/storage.ts'
import { freeingJobs } from './freeing-jobs.ts'
import { MoveLock } from './move-lock.store.ts'
import { MoveRefused } from './move-refused.ts'
import { numberAll } from './number-all.ts'
import { openCell } from './open-cell.ts'
import { assertKeys, assertNotArrived, assertReady, assertRoom } from './readiness/assert-ready.ts'
import { tellRouter } from './router-news.ts'
import { assertSameRows, followRows, stopFollowing, untilReplayed, type Way } from './rows/rows.ts'
import { clockBefore, selectChangedAssets, selectPresence } from './standing.store.ts'

export type MoveWish = {
  readonly directoryFile: string
  readonly organizationId: OrganizationId
  readonly to: CellName
  /** Whether to carry over files that come by forms which were given out before. */
  readonly isFollowing: boolean
  readonly signal: AbortSignal
  readonly tell: (line: string) => void
  readonly onNumbered: OnNumbered
}

export type Moved = {
  readonly from: CellName
  readonly to: CellName
  /** For how long writes were refused; null if that was another run. */
  readonly refusedSeconds: number | null
  readonly rows: number | null
  readonly jobs: number
  readonly filesFollowed: number
  readonly sessionsOpen: number
}

/** An API remembers for so long who a token belongs to, and a pass; then it sees that the organization is gone. */
const REMEMBERED_SECONDS = 2.2

/** Until requests that the router has sent to the source are let in there. */
const ON_THEIR_WAY_SECONDS = 0.2

/** About as long as is waited anyway. */
const UPLOADS_SECONDS_MAX = 2

/** So that it does not matter how exactly Postgres tells when a transaction began. */
const CHANGED_MARGIN_SECONDS = 15

/** Of an organization that makes more in a round than is copied in one, the last rounds would be no shorter. */
const CATCH_UP_ROUNDS_MAX = 6
const CATCH_UP_SECONDS = 1

type Move = Way & MoveWish & { readonly lock: MoveLock }

export async function moveOrganization(wish: MoveWish): Promise<Moved> {
  const { directoryFile, organizationId } = wish
  const ends = endsOf(readDirectory(directoryFile), wish)
  if (!ends) return arrivedBefore(wish)
  await using source = openCell(ends.from)
  await using destination = openCell(ends.to)
  const databases = [source, destination].map((cell) => cell.placement.cell.database)
  await using lock = await MoveLock.take(databases, organizationId)
  if (!lock) throw new MoveRefused(`Somebody else is moving ${organizationId}.`)
  const move: Move = {
    ...wish,
    ...{ source, destination, lock },
    signal: AbortSignal.any([wish.signal, lock.lost]),
  }
  const carried = (await begin(move)) === 'copying' ? await carryAll(move) : undefined
  const jobs = await switchOver(move)
  const refusedSeconds = carried ? (performance.now() - carried.heldAt) / 1000 : null
  wish.tell(
    `${organizationId} lives in cell ${destination.name}${refusedSeconds === null ? '' : `; writes were refused for ${refusedSeconds.toFixed(2)} s`}`,
  )
  const followed = await follow(move)
  // An attempt that was under way at the source noticed late that it is gone, and promised another.
  await cancelJobs(source.database, organizationId)
  await lock.assertOurs()
  await writeMove(directoryFile, organizationId, undefined)
  return {
    ...{ from: source.name, to: destination.name, refusedSeconds, rows: carried?.rows ?? null },
    ...{ jobs, filesFollowed: followed.carried, sessionsOpen: followed.open },
  }
}

/** Whoever runs it once more than was needed is told so. */
function arrivedBefore({ organizationId, to, tell }: MoveWish): Moved {
  tell(`${organizationId} lives in cell ${to}, and no move of it is under way`)
  const nothing = { refusedSeconds: null, rows: null, jobs: 0, filesFollowed: 0, sessionsOpen: 0 }
  return { from: to, to, ...nothing }
}

type Ends = { readonly from: Placement; readonly to: Placement }

/** From where to where; undefined if it lives there, and no move is under way. */
function endsOf(
  directory: Directory,
  { organizationId: id, to }: Pick<MoveWish, 'organizationId' | 'to'>,
): Ends | undefined {
  const destination = requireCell(directory, to)
  const known = moveOf(directory, id)
  if (known && known.to !== to) {
    throw new MoveRefused(
      `${id} is on its way from ${known.from} to ${known.to}. Let that end, or abandon-move, first.`,
    )
  }
  const from = known ? requireCell(directory, known.from) : placement(directory, id)
  return from.name === to ? undefined : { from, to: destination }
}

/**
 * Notes that it has begun, or finds that it had, and how far it has come. Asked under the lock:
 * what was read before it may have come to its end since.
 */
async function begin(move: Move): Promise<UnderWay['stage']> {
  const { directoryFile, organizationId: id, source, destination, tell } = move
  const directory = readDirectory(directoryFile)
  if (endsOf(directory, move)?.from.name !== source.name)
    throw new MoveRefused(`Somebody else has moved ${id} meanwhile. Run this again.`)
  const known = moveOf(directory, id)
  const copying = { from: source.name, to: destination.name, stage: 'copying' } as const
  if (!known) {
    await assertReady(source, destination, id)
    await assertRoom(destination, id)
    await writeMove(directoryFile, id, copying)
    return 'copying'
  }
  if (known.stage === 'copying') return 'copying'
  const { why } = await selectPresence(source.database, id)
  if (why === 'leaving' || why === 'gone') return 'arrived'
  // Somebody has taken the hold away, so there may be news that did not arrive.
  tell(
    `${id} was released in cell ${source.name} since it had arrived; everything is compared anew`,
  )
  await assertNotArrived(source, destination, id)
  await writeMove(directoryFile, id, copying)
  return 'copying'
}

/** Everything to the destination; when it returns the source is held, and nothing is missing. */
async function carryAll(move: Move): Promise<{ readonly heldAt: number; readonly rows: number }> {
  const { source, destination, organizationId: id, signal, tell, lock } = move
  await assertNotArrived(source, destination, id)
  // A run that was killed under the hold left callers waiting. Nothing has changed hands, and they
  // need not wait for all that is looked at before the next one.
  await lock.assertOurs()
  await releaseOrganization(source.database, id, 'leaving')
  await assertReady(source, destination, id)
  // It is not there yet: nothing is read there, and nobody is woken because it is held for long.
  await holdOrganization(destination.database, id, 'arriving')
  tell('copying objects')
  const begunAt = await clockBefore(source.database, CHANGED_MARGIN_SECONDS)
  const first = await carryObjects(move, id, signal)
  tell(`copied ${first.objects} objects of ${first.bytes} bytes; copying rows`)
  await followRows(move)
  tell('rows are in step')
  const arriving = moverDb(destination.database, id)
  const news = newsSince(move, begunAt)
  await catchUp(move, news)
  await pinArrived(arriving, destination.buckets.uploads, signal)

  // So that few are left to be numbered while callers wait.
  await settleEvents(source.database.forOrganization(id), move.onNumbered)
  const heldAt = performance.now()
  try {
    await holdOrganization(source.database, id, 'leaving')
    tell(`${id} is held in cell ${source.name}`)
    return { heldAt, rows: await carryRest(move, news) }
  } catch (error) {
    await releaseIfOurs(move)
    throw error
  }
}

/**
 * Nothing has changed hands yet, so callers need not wait for whoever mends this. But if the lock
 * is lost, the hold may be somebody else's by now.
 */
async function releaseIfOurs({ source, organizationId: id, directoryFile, lock }: Move) {
  const isOurs = await lock.assertOurs().then(
    () => true,
    () => false,
  )
  if (isOurs && moveOf(readDirectory(directoryFile), id)?.stage !== 'arrived')
    await releaseOrganization(source.database, id, 'leaving')
}

/** Copies what has come meanwhile, until that is soon done: what is left then is waited for by callers. */
async function catchUp(move: Move, news: News): Promise<void> {
  for (let round = 0; round < CATCH_UP_ROUNDS_MAX; round++) {
    const began = performance.now()
    await carryObjects(move, move.organizationId, move.signal, { assetIds: await news.next() })
    if (performance.now() - began < CATCH_UP_SECONDS * 1000) return
  }
}

/** Assets of which something came since, each as often as more has come. */
function newsSince({ source, organizationId }: Move, since: Timestamp) {
  const known = new Map<AssetId, string>()
  const next = async () => {
    const changed = await selectChangedAssets(source.database, organizationId, since)
    const news = changed.filter(({ id, published }) => known.get(id) !== published)
    for (const { id, published } of news) known.set(id, published)
    return news.map(({ id }) => id)
  }
  return { next }
}

type News = ReturnType<typeof newsSince>

/** What has come since, of an organization that is held; answers how many rows it has. */
async function carryRest(move: Move, news: News): Promise<number> {
  const { source, destination, organizationId: id, signal, tell } = move
  const arriving = moverDb(destination.database, id)
  await numberAll(moverDb(source.database, id), move.onNumbered)
  await untilReplayed(move)
  tell('the last rows have arrived')
  // A file never changes: those that are pinned need not be looked for again while callers wait.
  const unpinned = await listUnpinned(arriving)
  const withFilesOf = new Set(unpinned)
  const assetIds = [...new Set([...(await news.next()), ...unpinned])]
  await carryObjects(move, id, signal, { assetIds, withFilesOf })
  // Each of them has just been looked for at the source as well.
  for (const assetId of await pinArrived(arriving, destination.buckets.uploads, signal))
    tell(`the file of asset ${assetId} is in neither storage, as it was before`)
  const rows = await assertSameRows(move)
  await assertKeys(source, destination, id)
  await move.lock.assertOurs()
  await writeMove(move.directoryFile, id, {
    ...{ from: source.name, to: destination.name },
    stage: 'arrived',
  })
  tell(`everything has arrived in cell ${destination.name}`)
  return rows
}

/**
 * The destination takes over; answers how many jobs it was given. Both are held when it begins.
 * Once it is released at the destination, nothing leads back.
 */
async function switchOver(move: Move): Promise<number> {
  const { source, destination, organizationId: id, tell, lock } = move
  const there = await selectPresence(destination.database, id)
  const isSwitched = placement(readDirectory(move.directoryFile), id).name === destination.name
  if (there.heldSince === null && isSwitched) return 0
  await lock.assertOurs()
  await stopFollowing(source.database, destination.database, id)
  const { heldSince } = await selectPresence(source.database, id)
  if (!heldSince) throw new MoveRefused(`${id} is not held in cell ${source.name} any more.`)
  await lock.assertOurs()
  // Both have the same, and neither takes writes: while the router changes over, either may answer.
  await writePlacement(move.directoryFile, id, destination.name)
  // Once it is gone from the source, nobody would notice there that writes are still refused.
  await markLedHere(destination.database, id)
  const isLeft = await tellRouter(move.directoryFile, id)
  tell(isLeft ?? 'the router goes by the new directory')
  await sleep(ON_THEIR_WAY_SECONDS * 1000)
  await lock.assertOurs()
  await markGone(source.database, id)
  const gone = performance.now()
  tell(`${id} is gone from cell ${source.name}`)
  const arriving = moverDb(destination.database, id)
  const uploads = await carryUploadsSoon(move, arriving)
  // The directory was older than the databases: it is served there, and has its jobs.
  if (there.heldSince === null) return 0
  if (uploads)
    tell(`${uploads.open} uploads are open, ${uploads.begunAnew} of them begin their parts anew`)
  await sleep(Math.max(0, REMEMBERED_SECONDS * 1000 - (performance.now() - gone)))
  await giveBackAllWebhooks(arriving)
  await lock.assertOurs()
  const jobs = await carryJobs(source.database, destination.database, {
    ...{ ofId: id, heldSince, copiedSince: there.heldSince },
    freeing: freeingJobs.map(({ name }) => name),
  })
  tell(`${jobs} jobs have been carried over`)
  await lock.assertOurs()
  await releaseOrganization(destination.database, id, 'arriving')
  await cancelJobs(source.database, id)
  return jobs
}

/**
 * Callers wait meanwhile, so it may not take long; what it does not get to is done once they go on.
 * It does not stop when it is told to: they would wait for longer.
 */
async function carryUploadsSoon(move: Move, db: OrganizationDb) {
  const signal = AbortSignal.timeout(UPLOADS_SECONDS_MAX * 1000)
  return carryUploads({ ...move, signal }, db).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return undefined
  })
}

/** The organization lives and works where it is; this is only for files that are on their way to where it was. */
async function follow(move: Move): Promise<{ readonly carried: number; readonly open: number }> {
  const { source, destination, organizationId: id, isFollowing, tell } = move
  const { heldSince } = await selectPresence(source.database, id)
  if (!heldSince) return { carried: 0, open: 0 }
  const db = destination.database.forOrganization(id)
  if (!isFollowing) {
    const { open } = await carryUploads(move, db)
    if (open > 0)
      tell(
        `${open} uploads that were begun before may still arrive in cell ${source.name}, and nobody carries them over`,
      )
    return { carried: 0, open }
  }
  tell('following uploads that were begun before')
  return { carried: await followUploads(move, db), open: 0 }
}
