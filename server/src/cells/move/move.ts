/**
 * Migrates an organization to another cell.
 *
 * While the organization stays in service, its objects are copied and Postgres replicates its rows (rows.ts). Then it
 * is suspended at the source: from then until it is resumed at the destination, writes are refused. The last changes
 * arrive, the cells file and the router change, the source stops responding, and the destination resumes. At no time do
 * both cells accept writes, and no stale data is read.
 *
 * After a crash, run the migration again. The progress of a migration is stored in three locations: the cells file
 * (whether it has started, and whether everything has arrived), the suspensions in both databases, and the
 * subscription. Every step is repeated or skipped if done.
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
import { type CellName, type Directory, type MoveEntry, moveOf } from '../directory.rules.ts'
import { readDirectory, writeMove, writePlacement } from '../directory.ts'
import { type Placement, placement, requireCell } from '../placement.ts'
import { cleanupJobs } from './cleanup-jobs.ts'
import { copyLateUploads, followUploads } from './files/late-uploads.ts'
import { copyObjects } from './files/organization-objects.ts'
import { linkVersions, listUnlinked } from './files/version-links.ts'
import { recordMoveCommand } from './move-audit.ts'
import { MoveLock } from './move-lock.store.ts'
import { MoveRefused } from './move-refused.ts'
import { openCell, stateIn } from './open-cell.ts'
import { clockBefore, selectChangedAssets } from './organization-state.store.ts'
import { assertAbsent, assertKeys, assertNotArrived, assertReady } from './readiness/assert-ready.ts'
import { updateRouter } from './router-update.ts'
import { assertSameRows, type MoveContext, replicateRows, stopReplication, untilReplayed } from './rows/rows.ts'
import { sealAll, sequenceAll } from './sequence-events.ts'

export type MoveOptions = {
  readonly directoryFile: string
  readonly organizationId: OrganizationId
  readonly to: CellName
  /** Whether to copy files that are uploaded with forms issued before the migration. */
  readonly isFollowing: boolean
  readonly signal: AbortSignal
  readonly report: (line: string) => void
  readonly onSequenced: OnSequenced
}

export type Moved = {
  readonly from: CellName
  readonly to: CellName
  /** How long writes were refused; null if they were refused in another run. */
  readonly refusedSeconds: number | null
  readonly rows: number | null
  readonly jobs: number
  readonly filesFollowed: number
  readonly sessionsOpen: number
}

/**
 * API instances cache tokens and playback tokens for this long. After that, they detect that the organization was
 * migrated.
 */
const CACHED_SECONDS = 2.2

/** Time for requests that the router has sent to the source to arrive there. */
const IN_FLIGHT_SECONDS = 0.2

/**
 * Maximum time for copying late uploads while callers wait. The copy runs during the wait for the caches, so it hardly
 * delays callers.
 */
const LATE_UPLOADS_SECONDS_MAX = 2

/** Margin subtracted from the start time of the copy, so that changes of concurrent transactions are found. */
const CHANGED_MARGIN_SECONDS = 15

/**
 * Maximum number of rounds that copy new objects. If an organization produces more objects during a round than a round
 * copies, further rounds do not get shorter.
 */
const CATCH_UP_ROUNDS_MAX = 6
const CATCH_UP_SECONDS = 1

type Move = MoveContext & MoveOptions & { readonly lock: MoveLock }

export async function moveOrganization(options: MoveOptions): Promise<Moved> {
  const { directoryFile, organizationId } = options
  const endpoints = findEndpoints(readDirectory(directoryFile), options)
  if (!endpoints) return nothingToMove(options)
  await using source = openCell(endpoints.from)
  await using destination = openCell(endpoints.to)
  const databases = [source, destination].map((cell) => cell.placement.cell.database)
  await using lock = await MoveLock.acquire(databases, organizationId)
  if (!lock) throw new MoveRefused(`${organizationId} is being moved by another process.`)
  const move: Move = {
    ...options,
    ...{ source, destination, lock },
    signal: AbortSignal.any([options.signal, lock.lost]),
  }
  const copied = (await startOrResume(move)) === 'copying' ? await copyAll(move) : undefined
  const jobs = await switchOver(move)
  const refusedSeconds = copied ? (performance.now() - copied.suspendedAt) / 1000 : null
  options.report(
    `${organizationId} is hosted by cell ${destination.name}${refusedSeconds === null ? '' : `; writes were refused for ${refusedSeconds.toFixed(2)} s`}`,
  )
  const followed = await follow(move)
  // A job attempt that was running at the source may have detected the migration late and enqueued another attempt.
  await cancelJobs(source.database, organizationId)
  await lock.assertHeld()
  await writeMove(directoryFile, organizationId, undefined)
  return {
    ...{ from: source.name, to: destination.name, refusedSeconds, rows: copied?.rows ?? null },
    ...{ jobs, filesFollowed: followed.copied, sessionsOpen: followed.open },
  }
}

function nothingToMove({ organizationId, to, report }: MoveOptions): Moved {
  report(`${organizationId} is hosted by cell ${to}, and no move of it is in progress`)
  const nothing = { refusedSeconds: null, rows: null, jobs: 0, filesFollowed: 0, sessionsOpen: 0 }
  return { from: to, to, ...nothing }
}

type Endpoints = { readonly from: Placement; readonly to: Placement }

/**
 * Source and destination; undefined if the destination already hosts the organization and no migration is in progress.
 */
function findEndpoints(
  directory: Directory,
  { organizationId: id, to }: Pick<MoveOptions, 'organizationId' | 'to'>,
): Endpoints | undefined {
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
 * Records the start of a migration, or returns the stage of the one in progress. Runs under the lock, because the
 * cells file may have changed since it was first read.
 */
async function startOrResume(move: Move): Promise<MoveEntry['stage']> {
  const { directoryFile, organizationId: id, source, destination, report } = move
  const directory = readDirectory(directoryFile)
  if (findEndpoints(directory, move)?.from.name !== source.name)
    throw new MoveRefused(`Another process has moved ${id} since. Run the command again.`)
  const known = moveOf(directory, id)
  const copying = { from: source.name, to: destination.name, stage: 'copying' } as const
  if (!known) {
    await assertReady(source, destination, id)
    await assertAbsent(destination, id)
    await writeMove(directoryFile, id, copying)
    await recordMoveCommand(source, id, 'move-organization')
    return 'copying'
  }
  if (known.stage === 'copying') return 'copying'
  const { why } = await stateIn(source, id)
  if (why === 'leaving' || why === 'gone') return 'arrived'
  // The source was resumed in the meantime, so it may have changes that the destination lacks.
  report(`${id} was resumed in cell ${source.name} after it had arrived; everything is compared again`)
  await assertNotArrived(source, destination, id)
  await writeMove(directoryFile, id, copying)
  return 'copying'
}

/** Copies everything to the destination. When it returns, the source is suspended, and nothing is missing. */
async function copyAll(move: Move): Promise<{ readonly suspendedAt: number; readonly rows: number }> {
  const { source, destination, organizationId: id, signal, report, lock } = move
  await assertNotArrived(source, destination, id)
  // An earlier run that was killed during the suspension left the source suspended. The source is still authoritative,
  // so it accepts writes again until the next suspension.
  await lock.assertHeld()
  await resumeOrganization(source.database, id, 'leaving')
  await assertReady(source, destination, id)
  // The destination does not serve the organization yet. This suspension reason raises no alert, however long it lasts.
  await suspendOrganization(destination.database, id, 'arriving')
  report('copying objects')
  const startedAt = await clockBefore(source.database, CHANGED_MARGIN_SECONDS)
  const first = await copyObjects(move)
  report(`copied ${first.objects} objects (${first.bytes} bytes); copying rows`)
  await replicateRows(move)
  report('rows are in sync')
  const arriving = migratorDb(destination.database, id)
  const changes = changesSince(move, startedAt)
  await catchUp(move, changes)
  await linkVersions(arriving, destination.buckets.uploads, signal)

  // Sequence most events now, so that few are left during the suspension, while callers wait.
  await sequenceEvents(source.database.forOrganization(id), move.onSequenced)
  const suspendedAt = performance.now()
  try {
    await suspendOrganization(source.database, id, 'leaving')
    report(`${id} is suspended in cell ${source.name}`)
    return { suspendedAt, rows: await copyRemaining(move, changes) }
  } catch (error) {
    await resumeIfLocked(move)
    throw error
  }
}

/**
 * Resumes the source after a failure: it is still authoritative, so callers need not wait until the problem is fixed.
 * If the lock is lost, nothing is resumed, because the suspension may belong to another process by now.
 */
async function resumeIfLocked({ source, organizationId: id, directoryFile, lock }: Move) {
  const isHeld = await lock.assertHeld().then(
    () => true,
    () => false,
  )
  if (isHeld && moveOf(readDirectory(directoryFile), id)?.stage !== 'arrived')
    await resumeOrganization(source.database, id, 'leaving')
}

/** Copies new objects in rounds until a round is short, because callers wait while the rest is copied. */
async function catchUp(move: Move, changes: AssetChanges): Promise<void> {
  for (let round = 0; round < CATCH_UP_ROUNDS_MAX; round++) {
    const startedAt = performance.now()
    await copyObjects(move, { assetIds: await changes.next() })
    if (performance.now() - startedAt < CATCH_UP_SECONDS * 1000) return
  }
}

/**
 * Finds the assets with new objects since the given time. Later calls of `next` return an asset again only if it has
 * more new objects.
 */
function changesSince({ source, organizationId }: Move, since: Timestamp) {
  const known = new Map<AssetId, string>()
  const next = async () => {
    const changed = await selectChangedAssets(source.database, organizationId, since)
    const changes = changed.filter(({ id, published }) => known.get(id) !== published)
    for (const { id, published } of changes) known.set(id, published)
    return changes.map(({ id }) => id)
  }
  return { next }
}

type AssetChanges = ReturnType<typeof changesSince>

/** Copies the remaining changes while the source is suspended. Returns the number of rows. */
async function copyRemaining(move: Move, changes: AssetChanges): Promise<number> {
  const { source, destination, organizationId: id, signal, report } = move
  const arriving = migratorDb(destination.database, id)
  await sequenceAll(migratorDb(source.database, id), move.onSequenced)
  await sealAll(migratorDb(source.database, id))
  await untilReplayed(move)
  report('the last rows have arrived')
  // Files never change, so linked assets need not be checked again while callers wait.
  const unlinked = await listUnlinked(arriving)
  const withFilesOf = new Set(unlinked)
  const assetIds = [...new Set([...(await changes.next()), ...unlinked])]
  await copyObjects(move, { assetIds, withFilesOf })
  for (const assetId of await linkVersions(arriving, destination.buckets.uploads, signal))
    report(`the source file of asset ${assetId} was already missing before the move`)
  const rows = await assertSameRows(move)
  await assertKeys(source, destination, id)
  await move.lock.assertHeld()
  await writeMove(move.directoryFile, id, {
    ...{ from: source.name, to: destination.name },
    stage: 'arrived',
  })
  report(`everything has arrived in cell ${destination.name}`)
  return rows
}

/**
 * Switches over to the destination. Returns the number of copied jobs. Both cells are suspended at the start. After the
 * destination is resumed, the migration cannot be undone.
 */
async function switchOver(move: Move): Promise<number> {
  const { source, destination, organizationId: id, report, lock } = move
  const arrivingState = await stateIn(destination, id)
  const isSwitched = placement(readDirectory(move.directoryFile), id).name === destination.name
  if (arrivingState.suspendedSince === null && isSwitched) return 0
  await lock.assertHeld()
  await stopReplication(source.database, destination.database, id)
  const { suspendedSince } = await stateIn(source, id)
  if (!suspendedSince) throw new MoveRefused(`${id} is no longer suspended in cell ${source.name}.`)
  await lock.assertHeld()
  // Both cells have the same data, and neither accepts writes: while the router switches, either may respond.
  await writePlacement(move.directoryFile, id, destination.name)
  // Makes the destination raise the alert for a suspension that lasts too long: the source does not raise it after the
  // organization has left.
  await markRoutedHere(destination.database, id)
  const leftToDo = await updateRouter(move.directoryFile, id)
  report(leftToDo ?? 'the router uses the new cells file')
  await sleep(IN_FLIGHT_SECONDS * 1000)
  await lock.assertHeld()
  await markMigratedAway(source.database, id)
  const leftAt = performance.now()
  report(`${id} has left cell ${source.name}`)
  const arriving = migratorDb(destination.database, id)
  const uploads = await copyUploadsBriefly(move, arriving)
  // If the destination is not suspended, the cells file was older than the databases: the destination already serves
  // the organization and has its jobs.
  if (arrivingState.suspendedSince === null) return 0
  if (uploads)
    report(`uploads in progress: ${uploads.open}; of these, ${uploads.restarted} must send their parts again`)
  await sleep(Math.max(0, CACHED_SECONDS * 1000 - (performance.now() - leftAt)))
  await releaseAllWebhooks(arriving)
  await lock.assertHeld()
  const jobs = await copyJobs(source.database, destination.database, {
    ...{ organizationId: id, suspendedSince, copiedSince: arrivingState.suspendedSince },
    deletionJobs: cleanupJobs.map(({ name }) => name),
  })
  report(`${jobs} jobs have been copied`)
  await lock.assertHeld()
  await resumeOrganization(destination.database, id, 'arriving')
  await cancelJobs(source.database, id)
  return jobs
}

/**
 * Copies late uploads for a limited time, because callers are waiting; the rest is copied afterwards. Ignores the stop
 * signal, because stopping here would only make callers wait longer.
 */
async function copyUploadsBriefly(move: Move, db: OrganizationDb) {
  const signal = AbortSignal.timeout(LATE_UPLOADS_SECONDS_MAX * 1000)
  return copyLateUploads({ ...move, signal }, db).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return undefined
  })
}

/** Copies files that are still uploaded to the old cell, while the organization is in service. */
async function follow(move: Move): Promise<{ readonly copied: number; readonly open: number }> {
  const { source, destination, organizationId: id, isFollowing, report } = move
  const { suspendedSince } = await stateIn(source, id)
  if (!suspendedSince) return { copied: 0, open: 0 }
  const db = destination.database.forOrganization(id)
  if (!isFollowing) {
    const { open } = await copyLateUploads(move, db)
    if (open > 0)
      report(
        `${open} uploads that started before the move may still arrive in cell ${source.name}, and they are not copied`,
      )
    return { copied: 0, open }
  }
  report('copying uploads that started before the move')
  return { copied: await followUploads(move, db), open: 0 }
}
