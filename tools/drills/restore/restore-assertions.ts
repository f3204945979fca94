/** Checks that a disaster has cost no more than it may. */

import type { LoadRecord, RequestError } from '../load/load-record.ts'
import { type DrillReport, describeError } from '../support/drill-report.ts'
import type { LoadResult } from '../verify/verify-load.ts'
import type { MissingRow } from './backed-up-storage.ts'

/** Time span from the loss until requests succeeded again. */
export type Outage = { readonly at: number; readonly servedAt: number }

/** A loss of storage: its outage, the last backup run, and the files that were missing after the restore. */
export type Loss = Outage & {
  /** Start time of the last finished backup run. */
  readonly backedUpAt: number
  readonly missing: readonly MissingRow[]
}

/** Interval of the worker's sweep for undetected files. */
export const SWEEP_SECONDS = 1

/**
 * Maximum time until an uploaded file is detected: UPLOAD_FIRST_CHECK_SECONDS, a sweep interval, and some slack. Until
 * then, storage may be the only place with a record of the file.
 */
const DETECTED_SECONDS_MAX = 15 + SWEEP_SECONDS + 4

const isRecreated = ({ remedy }: MissingRow) => remedy === 'retry'

const assetsOf = (rows: readonly MissingRow[]) => new Set(rows.map(({ asset }) => asset))

/** Assets with a missing file that cannot be encoded again from the source. */
export const reportedLost = ({ missing }: Loss) => assetsOf(missing.filter((row) => !isRecreated(row)))

/** Assets whose missing files can all be encoded again from the source. This must have happened. */
export function reportedRecreated(loss: Loss): ReadonlySet<string> {
  return assetsOf(loss.missing.filter(isRecreated)).difference(reportedLost(loss))
}

/**
 * Files that were uploaded after the last backup run may be lost if `reconcile-storage` names them. Older files must
 * not be lost.
 */
export function checkFiles(report: DrillReport, record: LoadRecord, loss: Loss): void {
  const lost = loss.missing.filter(({ missing }) => missing === 'source')
  const tooOld = lost.filter(({ asset }) => {
    const completedAt = record.assets.find(({ id }) => id === asset)?.file.completedAt
    return completedAt !== undefined && completedAt < loss.backedUpAt
  })
  report.note('files lost after the last backup run, each named', lost.length)
  report.checkNone(
    'files lost from before the last backup run',
    tooOld.map(({ asset }) => asset),
  )
}

/**
 * Excludes files reported as lost, and files that only storage had acknowledged when it was lost. No command can name
 * the latter, because they have no row in the database. They must be recent: the service should have detected older
 * ones.
 */
export function excludeLost(report: DrillReport, record: LoadRecord, loss: Loss): void {
  const reported = reportedLost(loss)
  const undetected = record.assets.filter(({ id, file: { storedAt, completedAt } }) => {
    return storedAt !== undefined && storedAt < loss.at && completedAt === undefined && !reported.has(id)
  })
  const ageSeconds = (storedAt = loss.at) => (loss.at - storedAt) / 1000
  const old = undetected.filter(({ file }) => ageSeconds(file.storedAt) > DETECTED_SECONDS_MAX)
  report.note('lost files known only to storage, not named', undetected.length)
  report.checkTime(`of these, known to storage for more than ${DETECTED_SECONDS_MAX} s`, String(old.length), {
    isPassed: old.length === 0,
    details: old.map(({ id, file }) => `${id}, for ${ageSeconds(file.storedAt).toFixed(1)} s`),
  })
  const undetectedIds = new Set(undetected.map(({ id }) => id))
  for (const { id, file } of record.assets) {
    if (undetectedIds.has(id) || reported.has(id)) file.storedAt = undefined
  }
}

/** Removes expected violations: videos reported as lost need not play, and reprocessed videos are completed twice. */
export function withoutReported(result: LoadResult, loss: Loss): LoadResult {
  const [lost, recreated] = [[...reportedLost(loss)], [...reportedRecreated(loss)]]
  return {
    ...result,
    wrong: result.wrong.filter((line) => !lost.some((asset) => line.includes(asset))),
    duplicated: result.duplicated.filter((line) => !recreated.some((asset) => line.includes(asset))),
  }
}

/**
 * Requests may be refused or fail during an outage, but not before or after it. Unexpected 4xx responses are never
 * allowed.
 */
export function checkRequests(report: DrillReport, record: LoadRecord, [first, second]: readonly [Loss, Outage]): void {
  // Includes requests that were sent before the outage and interrupted by it, such as a stream.
  const isOutage = (error: RequestError) =>
    [first, second].some(({ at, servedAt }) => error.at >= at && error.sentAt <= servedAt)
  const isUnjustified = ({ status = 0 }: RequestError) => status >= 400 && status < 500 && status !== 429
  const ofLost = namesOf(record, assetsOf(first.missing))
  // Storage has lost its multipart uploads in progress, so the client starts them again.
  const isPartOfLostUpload = ({ request, status, sentAt }: RequestError) =>
    request === 'PUT part' && status === 404 && sentAt > first.at
  // Requests for lost files and lost uploads get 404.
  const isReported = (error: RequestError) =>
    isUnjustified(error) && ofLost.some((name) => error.request.includes(name))
  const checked = record.failed.filter((error) => !isPartOfLostUpload(error) && !isReported(error))
  report.note('parts sent to uploads that storage had lost', record.failed.filter(isPartOfLostUpload).length)
  report.note('4xx responses for files reported as missing', record.failed.filter(isReported).length)
  report.checkNone('unjustified 4xx responses', checked.filter(isUnjustified).map(describeError))
  const outside = [...checked, ...record.refused].filter((error) => !isOutage(error))
  report.checkNone('failed requests outside of the outages', outside.map(describeError))
}

/**
 * Returns the parts of playback and upload paths that identify these assets. Other requests about these assets must
 * work.
 */
function namesOf(record: LoadRecord, reported: ReadonlySet<string>): string[] {
  const { organizationId, assets } = record
  return assets
    .filter(({ id }) => reported.has(id))
    .flatMap(({ id, session }) => [`/${organizationId}/${id}/`, session])
}
