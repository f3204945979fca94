/**
 * Migrates an organization to another cell.
 *
 * While it stays in service, its objects are copied and Postgres replicates its rows (rows.ts). Then it is
 * suspended at the source: from here until it is resumed at the destination, writes are refused. The last changes
 * arrive, the directory and the router change, the source stops responding, and the destination resumes. At no time
 * do both cells accept writes, and no stale data is read.
 *
 * After a crash, run it again. The progress of a migration is stored in three places: the directory (whether it has
 * started, and whether everything has arrived), the suspensions in both databases, and the subscription. Every step
 * is repeated or skipped if done.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OnSequenced } from '../../modules/events/events.ts'
import { sequenceEvents } from '../../modules/events/events.ts'
import {
  markMigratedAway,
  markRoutedHere,
  migratorDb,
  resumeOrganization,
  suspendOrganization,
} from '../../modules/suspension/suspension.ts'
import { releaseAllWebhooks } from '../../modules/webhook-dispatch/webhook-dispatch.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { cancelJobs, copyJobs } from '../../platform/jobs/engine/migrating-jobs.ts'
import { type CellName, type Directory, moveOf, type UnderWay } from '../directory.rules.ts'
import { readDirectory, writeMove, writePlacement } from '../directory.ts'
import { type Placement, placement, requireCell } from '../placement.ts'
import { freeingJobs } from './cleanup-jobs.ts'
import { carryUploads, followUploads } from './files/following.ts'
import { listUnpinned, pinArrived } from './files/pins.ts'
import { carryObjects } from './files/storage.ts'
import { MoveLock } from './move-lock.store.ts'
import { MoveRefused } from './move-refused.ts'
import { openCell } from './open-cell.ts'
import { clockBefore, selectChangedAssets, selectPresence } from './organization-state.store.ts'
import { assertKeys, assertNotArrived, assertReady, assertRoom } from './readiness/assert-ready.ts'
import { tellRouter } from './router-update.ts'
import { assertSameRows, followRows, stopFollowing, untilReplayed, type Way } from './rows/rows.ts'
import { numberAll } from './sequence-events.ts'

export type MoveWish = {
  readonly directoryFile: string
  readonly organizationId: OrganizationId
  readonly to: CellName
  /** Whether to copy files that are uploaded with forms issued before. */
  readonly isFollowing: boolean
  readonly signal: AbortSignal
  readonly tell: (line: string) => void
  readonly onSequenced: OnSequenced
}

export type Moved = {
  readonly from: CellName
  readonly to: CellName
  /** How long writes were refused; null if that was in another run. */
  readonly refusedSeconds: number | null
  readonly rows: number | null
  readonly jobs: number
  readonly filesFollowed: number
  readonly sessionsOpen: number
}

/** API instances cache tokens and playback tokens this long; then they see that the organization was migrated. */
const REMEMBERED_SECONDS = 2.2

/** Time for requests that the router has sent to the source to arrive there. */
const ON_THEIR_WAY_SECONDS = 0.2

/** About as long as the wait anyway. */
const UPLOADS_SECONDS_MAX = 2

/** Tolerance for the start times of transactions. */
const CHANGED_MARGIN_SECONDS = 15

/** If an organization produces more per round than is copied in one, further rounds would not get shorter. */
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
  if (!lock) throw new MoveRefused(`${organizationId} is being moved by another process.`)
  const move: Move = {
    ...wish,
    ...{ source, destination, lock },
    signal: AbortSignal.any([wish.signal, lock.lost]),
  }
  const carried = (await begin(move)) === 'copying' ? await carryAll(move) : undefined
  const jobs = await switchOver(move)
  const refusedSeconds = carried ? (performance.now() - carried.heldAt) / 1000 : null
  wish.tell(
    `${organizationId} is hosted by cell ${destination.name}${refusedSeconds === null ? '' : `; writes were refused for ${refusedSeconds.toFixed(2)} s`}`,
  )
  const followed = await follow(move)
  // An attempt that was running at the source may have noticed the migration late and enqueued another.
  await cancelJobs(source.database, organizationId)
  await lock.assertOurs()
  await writeMove(directoryFile, organizationId, undefined)
  return {
    ...{ from: source.name, to: destination.name, refusedSeconds, rows: carried?.rows ?? null },
    ...{ jobs, filesFollowed: followed.carried, sessionsOpen: followed.open },
  }
}

/** Reports that there is nothing to do. */
function arrivedBefore({ organizationId, to, tell }: MoveWish): Moved {
  tell(`${organizationId} is hosted by cell ${to}, and no move of it is in progress`)
  const nothing = { refusedSeconds: null, rows: null, jobs: 0, filesFollowed: 0, sessionsOpen: 0 }
  return { from: to, to, ...nothing }
}

type Ends = { readonly from: Placement; readonly to: Placement }

/** Source and destination; undefined if it is hosted there already and no migration is in progress. */
function endsOf(
  directory: Directory,
  { organizationId: id, to }: Pick<MoveWish, 'organizationId' | 'to'>,
): Ends | undefined {
  const destination = requireCell(directory, to)
  const known = moveOf(directory, id)
  if (known && known.to !== to) {
    throw new MoveRefused(
      `${id} is being moved from ${known.from} to ${known.to}. Complete that move, or run cancel-move, first.`,
    )
  }
  const from = known ? requireCell(directory, known.from) : placement(directory, id)
  return from.name === to ? undefined : { from, to: destination }
}

/**
 * Records the start, or finds the stage of a started migration. Runs under the lock: what was read before may be
 * outdated.
 */
async function begin(move: Move): Promise<UnderWay['stage']> {
  const { directoryFile, organizationId: id, source, destination, tell } = move
  const directory = readDirectory(directoryFile)
  if (endsOf(directory, move)?.from.name !== source.name)
    throw new MoveRefused(`Another process has moved ${id} since. Run this again.`)
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
  // The suspension was removed, so there may be changes that did not arrive.
  tell(
    `${id} was resumed in cell ${source.name} after it had arrived; everything is compared again`,
  )
  await assertNotArrived(source, destination, id)
  await writeMove(directoryFile, id, copying)
  return 'copying'
}

/** Copies everything to the destination. When it returns, the source is suspended, and nothing is missing. */
async function carryAll(move: Move): Promise<{ readonly heldAt: number; readonly rows: number }> {
  const { source, destination, organizationId: id, signal, tell, lock } = move
  await assertNotArrived(source, destination, id)
  // A run that was killed during the suspension left callers waiting. The source is still authoritative, so they
  // need not wait until the next suspension.
  await lock.assertOurs()
  await resumeOrganization(source.database, id, 'leaving')
  await assertReady(source, destination, id)
  // Not served there yet: nothing is read there, and a long suspension raises no alert.
  await suspendOrganization(destination.database, id, 'arriving')
  tell('copying objects')
  const begunAt = await clockBefore(source.database, CHANGED_MARGIN_SECONDS)
  const first = await carryObjects(move, id, signal)
  tell(`copied ${first.objects} objects (${first.bytes} bytes); copying rows`)
  await followRows(move)
  tell('rows are in sync')
  const arriving = migratorDb(destination.database, id)
  const changes = newsSince(move, begunAt)
  await catchUp(move, changes)
  await pinArrived(arriving, destination.buckets.uploads, signal)

  // So that few events are left to sequence while callers wait.
  await sequenceEvents(source.database.forOrganization(id), move.onSequenced)
  const heldAt = performance.now()
  try {
    await suspendOrganization(source.database, id, 'leaving')
    tell(`${id} is suspended in cell ${source.name}`)
    return { heldAt, rows: await carryRest(move, changes) }
  } catch (error) {
    await releaseIfOurs(move)
    throw error
  }
}

/**
 * The source is still authoritative, so callers need not wait until the problem is fixed. But if the lock is lost,
 * the suspension may belong to another process by now.
 */
async function releaseIfOurs({ source, organizationId: id, directoryFile, lock }: Move) {
  const isOurs = await lock.assertOurs().then(
    () => true,
    () => false,
  )
  if (isOurs && moveOf(readDirectory(directoryFile), id)?.stage !== 'arrived')
    await resumeOrganization(source.database, id, 'leaving')
}

/** Copies new objects in rounds until a round is short: callers wait for what is left then. */
async function catchUp(move: Move, changes: News): Promise<void> {
  for (let round = 0; round < CATCH_UP_ROUNDS_MAX; round++) {
    const began = performance.now()
    await carryObjects(move, move.organizationId, move.signal, { assetIds: await changes.next() })
    if (performance.now() - began < CATCH_UP_SECONDS * 1000) return
  }
}

/** Assets with new objects since then; each is returned again when more has come. */
function newsSince({ source, organizationId }: Move, since: Timestamp) {
  const known = new Map<AssetId, string>()
  const next = async () => {
    const changed = await selectChangedAssets(source.database, organizationId, since)
    const changes = changed.filter(({ id, published }) => known.get(id) !== published)
    for (const { id, published } of changes) known.set(id, published)
    return changes.map(({ id }) => id)
  }
  return { next }
}

type News = ReturnType<typeof newsSince>

/** Copies the rest while the source is suspended. Returns the number of rows. */
async function carryRest(move: Move, changes: News): Promise<number> {
  const { source, destination, organizationId: id, signal, tell } = move
  const arriving = migratorDb(destination.database, id)
  await numberAll(migratorDb(source.database, id), move.onSequenced)
  await untilReplayed(move)
  tell('the last rows have arrived')
  // A file never changes: pinned ones need not be checked again while callers wait.
  const unpinned = await listUnpinned(arriving)
  const withFilesOf = new Set(unpinned)
  const assetIds = [...new Set([...(await changes.next()), ...unpinned])]
  await carryObjects(move, id, signal, { assetIds, withFilesOf })
  // Each of them has just been searched at the source as well.
  for (const assetId of await pinArrived(arriving, destination.buckets.uploads, signal))
    tell(`the file of asset ${assetId} is in neither storage; it was missing before`)
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
 * Switches over to the destination. Returns the number of jobs it received. Both are suspended at the start. Once
 * the destination is resumed, there is no way back.
 */
async function switchOver(move: Move): Promise<number> {
  const { source, destination, organizationId: id, tell, lock } = move
  const there = await selectPresence(destination.database, id)
  const isSwitched = placement(readDirectory(move.directoryFile), id).name === destination.name
  if (there.heldSince === null && isSwitched) return 0
  await lock.assertOurs()
  await stopFollowing(source.database, destination.database, id)
  const { heldSince } = await selectPresence(source.database, id)
  if (!heldSince) throw new MoveRefused(`${id} is no longer suspended in cell ${source.name}.`)
  await lock.assertOurs()
  // Both have the same data, and neither accepts writes: while the router switches, either may respond.
  await writePlacement(move.directoryFile, id, destination.name)
  // Once the source has given it up, no alert there would report that writes are still refused.
  await markRoutedHere(destination.database, id)
  const isLeft = await tellRouter(move.directoryFile, id)
  tell(isLeft ?? 'the router uses the new directory')
  await sleep(ON_THEIR_WAY_SECONDS * 1000)
  await lock.assertOurs()
  await markMigratedAway(source.database, id)
  const leftAt = performance.now()
  tell(`${id} has left cell ${source.name}`)
  const arriving = migratorDb(destination.database, id)
  const uploads = await carryUploadsSoon(move, arriving)
  // The directory was older than the databases: the destination already serves it and has its jobs.
  if (there.heldSince === null) return 0
  if (uploads)
    tell(`${uploads.open} uploads are open, ${uploads.begunAnew} of them restart their parts`)
  await sleep(Math.max(0, REMEMBERED_SECONDS * 1000 - (performance.now() - leftAt)))
  await releaseAllWebhooks(arriving)
  await lock.assertOurs()
  const jobs = await copyJobs(source.database, destination.database, {
    ...{ organizationId: id, suspendedSince: heldSince, copiedSince: there.heldSince },
    deletionJobs: freeingJobs.map(({ name }) => name),
  })
  tell(`${jobs} jobs have been copied`)
  await lock.assertOurs()
  await resumeOrganization(destination.database, id, 'arriving')
  await cancelJobs(source.database, id)
  return jobs
}

/**
 * Callers are waiting, so its time is limited; the rest is done afterwards. It ignores the stop signal, which would
 * only make them wait longer.
 */
async function carryUploadsSoon(move: Move, db: OrganizationDb) {
  const signal = AbortSignal.timeout(UPLOADS_SECONDS_MAX * 1000)
  return carryUploads({ ...move, signal }, db).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return undefined
  })
}

/** The organization is in service; this only handles files that are still uploaded to the old cell. */
async function follow(move: Move): Promise<{ readonly carried: number; readonly open: number }> {
  const { source, destination, organizationId: id, isFollowing, tell } = move
  const { heldSince } = await selectPresence(source.database, id)
  if (!heldSince) return { carried: 0, open: 0 }
  const db = destination.database.forOrganization(id)
  if (!isFollowing) {
    const { open } = await carryUploads(move, db)
    if (open > 0)
      tell(
        `${open} uploads that started before may still arrive in cell ${source.name}, and they are not copied`,
      )
    return { carried: 0, open }
  }
  tell('copying uploads that started before')
  return { carried: await followUploads(move, db), open: 0 }
}
