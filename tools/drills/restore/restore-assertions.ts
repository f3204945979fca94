/** The allowed and the actual cost of a disaster. */

import type { LoadRecord, Trouble } from '../load/load-record.ts'
import type { LoadVerdict } from '../load/verify-load.ts'
import { type Figures, inWords } from '../support/figures.ts'
import type { MissingRow } from './backed-up-storage.ts'
import { SWEEP_SECONDS } from './restored-service.ts'

/** From the loss until requests succeeded again. */
export type Outage = { readonly at: number; readonly servedAt: number }

/** What the commands reported after the restore, and the state of the backup before. */
export type Loss = Outage & {
  /** Start of the last finished backup run. */
  readonly backedUpAt: number
  readonly missing: readonly MissingRow[]
}

/**
 * UPLOAD_FIRST_CHECK_SECONDS, a sweep interval, and some slack. Until then possibly only storage has a record of a
 * file.
 */
const NOTICED_SECONDS_MAX = 15 + SWEEP_SECONDS + 4

const isMadeAgain = ({ remedy }: MissingRow) => remedy === 'retry'

const assetsOf = (rows: readonly MissingRow[]) => new Set(rows.map(({ asset }) => asset))

/** Assets with a file that exists nowhere anymore. */
export const toldLost = ({ missing }: Loss) => assetsOf(missing.filter((row) => !isMadeAgain(row)))

/** Assets whose missing files can all be made from the source, and so must be. */
export function toldMadeAgain(loss: Loss): ReadonlySet<string> {
  return assetsOf(loss.missing.filter(isMadeAgain)).difference(toldLost(loss))
}

/** Files uploaded after the last backup run may be lost if the command names them; others must not be. */
export function judgeFiles(figures: Figures, record: LoadRecord, loss: Loss): void {
  const lost = loss.missing.filter(({ missing }) => missing === 'source')
  const tooOld = lost.filter(({ asset }) => {
    const completedAt = record.assets.find(({ id }) => id === asset)?.file.completedAt
    return completedAt !== undefined && completedAt < loss.backedUpAt
  })
  figures.note('files lost after the last backup run, each named', lost.length)
  figures.judgeNone(
    'files lost from before the last backup run',
    tooOld.map(({ asset }) => asset),
  )
}

/**
 * Excludes files reported as lost, and files that only storage had acknowledged when it was lost. The latter have no
 * row, so no command can name them: their sessions expire. They must be young, otherwise the service should have
 * detected them.
 */
export function forgetLost(figures: Figures, record: LoadRecord, loss: Loss): void {
  const told = toldLost(loss)
  const unnoticed = record.assets.filter(({ id, file: { storedAt, completedAt } }) => {
    return (
      storedAt !== undefined && storedAt < loss.at && completedAt === undefined && !told.has(id)
    )
  })
  const ageSeconds = (storedAt = loss.at) => (loss.at - storedAt) / 1000
  const old = unnoticed.filter(({ file }) => ageSeconds(file.storedAt) > NOTICED_SECONDS_MAX)
  figures.note('lost files known only to storage, not named', unnoticed.length)
  figures.judgeTime(
    `of these, known to storage for more than ${NOTICED_SECONDS_MAX} s`,
    String(old.length),
    old.length === 0,
    old.map(({ id, file }) => `${id}, for ${ageSeconds(file.storedAt).toFixed(1)} s`),
  )
  const unnoticedIds = new Set(unnoticed.map(({ id }) => id))
  for (const { id, file } of record.assets) {
    if (unnoticedIds.has(id) || told.has(id)) file.storedAt = undefined
  }
}

/** Videos reported as lost need not play, and videos made again are completed twice. All other violations stay. */
export function withoutTold(verdict: LoadVerdict, loss: Loss): LoadVerdict {
  const [lost, again] = [[...toldLost(loss)], [...toldMadeAgain(loss)]]
  return {
    ...verdict,
    wrong: verdict.wrong.filter((line) => !lost.some((asset) => line.includes(asset))),
    doubled: verdict.doubled.filter((line) => !again.some((asset) => line.includes(asset))),
  }
}

/**
 * Requests may be refused or fail during an outage. Before and after it none may, and an unjustified 4xx is never
 * allowed.
 */
export function judgeRequests(
  figures: Figures,
  record: LoadRecord,
  [first, second]: readonly [Loss, Outage],
): void {
  // Including earlier requests that were cut off, such as a stream.
  const isOutage = (trouble: Trouble) =>
    [first, second].some(({ at, servedAt }) => trouble.at >= at && trouble.sentAt <= servedAt)
  const isUndeserved = ({ status = 0 }: Trouble) => status >= 400 && status < 500 && status !== 429
  const ofLost = namesOf(record, assetsOf(first.missing))
  // Storage has lost its running multipart uploads; the client starts again.
  const isPartInVain = ({ request, status, sentAt }: Trouble) =>
    request === 'PUT part' && status === 404 && sentAt > first.at
  // Viewers get 404 for lost files, and uploaders for lost uploads.
  const isTold = (trouble: Trouble) =>
    isUndeserved(trouble) && ofLost.some((name) => trouble.request.includes(name))
  const judged = record.failed.filter((trouble) => !isPartInVain(trouble) && !isTold(trouble))
  figures.note(
    'parts sent to uploads that storage had lost',
    record.failed.filter(isPartInVain).length,
  )
  figures.note('4xx responses for files reported as missing', record.failed.filter(isTold).length)
  figures.judgeNone('unjustified 4xx responses', judged.filter(isUndeserved).map(inWords))
  const outside = [...judged, ...record.refused].filter((trouble) => !isOutage(trouble))
  figures.judgeNone('failed requests outside of the outages', outside.map(inWords))
}

/**
 * Their IDs as in the paths of views and upload sessions. All other requests about the asset of a lost file must
 * still work.
 */
function namesOf(record: LoadRecord, told: ReadonlySet<string>): string[] {
  const { organizationId, assets } = record
  return assets
    .filter(({ id }) => told.has(id))
    .flatMap(({ id, session }) => [`/${organizationId}/${id}/`, session])
}
