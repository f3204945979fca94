/** What a disaster may cost, and what it did. */
import type { MissingRow } from './backed-up-storage.ts'
import { type Figures, inWords } from './figures.ts'
import type { LoadRecord, Trouble } from './load-record.ts'
import { SWEEP_SECONDS } from './restored-service.ts'
import type { LoadVerdict } from './verify-load.ts'

/** From when something was lost until callers were served again. */
export type Outage = { readonly at: number; readonly servedAt: number }

/** What the operator was told after the restore, and what was known before. */
export type Loss = Outage & {
  /** When the last pass of the backup that was finished began. */
  readonly backedUpAt: number
  readonly missing: readonly MissingRow[]
}

/**
 * UPLOAD_FIRST_LOOK_SECONDS, a turn of the sweep, and some for its answer. Until then only storage
 * may know of a file.
 */
const NOTICED_SECONDS_MAX = 15 + SWEEP_SECONDS + 4

const isMadeAgain = ({ remedy }: MissingRow) => remedy === 'retry'

const assetsOf = (rows: readonly MissingRow[]) => new Set(rows.map(({ asset }) => asset))

/** Those with a piece that nobody has any more. */
export const toldLost = ({ missing }: Loss) => assetsOf(missing.filter((row) => !isMadeAgain(row)))

/** Those of which everything can be made of the file, and so must be. */
export function toldMadeAgain(loss: Loss): ReadonlySet<string> {
  return assetsOf(loss.missing.filter(isMadeAgain)).difference(toldLost(loss))
}

/**
 * Files may be lost that came after the last pass of the backup, if the operator was told which;
 * others must not be.
 */
export function judgeFiles(figures: Figures, record: LoadRecord, loss: Loss): void {
  const lost = loss.missing.filter(({ missing }) => missing === 'source')
  const tooOld = lost.filter(({ asset }) => {
    const completedAt = record.assets.find(({ id }) => id === asset)?.file.completedAt
    return completedAt !== undefined && completedAt < loss.backedUpAt
  })
  figures.note('files lost that came after the last pass, each named', lost.length)
  figures.judgeNone(
    'files lost that were there before the last pass',
    tooOld.map(({ asset }) => asset),
  )
}

/**
 * What was told to be lost is not looked for; nor a file that only storage had acknowledged when it
 * was lost. No row points at such a one, so nobody can name it: its session expires. It must have
 * been young, or the service should have noticed it.
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
  figures.note('files that only storage knew of, lost and named by nobody', unnoticed.length)
  figures.judgeNone(
    `those that it had known of for more than ${NOTICED_SECONDS_MAX} s`,
    old.map(({ id, file }) => `${id}, for ${ageSeconds(file.storedAt).toFixed(1)} s`),
  )
  const unnoticedIds = new Set(unnoticed.map(({ id }) => id))
  for (const { id, file } of record.assets) {
    if (unnoticedIds.has(id) || told.has(id)) file.storedAt = undefined
  }
}

/** What was told to be lost need not play, and what is made again is completed twice. Nothing else is forgiven. */
export function withoutTold(verdict: LoadVerdict, loss: Loss): LoadVerdict {
  const [lost, again] = [[...toldLost(loss)], [...toldMadeAgain(loss)]]
  return {
    ...verdict,
    wrong: verdict.wrong.filter((line) => !lost.some((asset) => line.includes(asset))),
    doubled: verdict.doubled.filter((line) => !again.some((asset) => line.includes(asset))),
  }
}

/**
 * While something was lost requests may be refused and fail. Before and after it none may, and a
 * caller's fault none is ever told to have made.
 */
export function judgeRequests(
  figures: Figures,
  record: LoadRecord,
  [first, second]: readonly [Loss, Outage],
): void {
  // Also what had been asked before and was cut off, as a stream is.
  const isOutage = (trouble: Trouble) =>
    [first, second].some(({ at, servedAt }) => trouble.at >= at && trouble.sentAt <= servedAt)
  const isUndeserved = ({ status = 0 }: Trouble) => status >= 400 && status < 500 && status !== 429
  const ofLost = namesOf(record, assetsOf(first.missing))
  // Storage does not know uploads in parts that were under way when it was lost; the caller begins anew.
  const isPartInVain = ({ request, status, sentAt }: Trouble) =>
    request === 'PUT part' && status === 404 && sentAt > first.at
  // Viewers are answered 404 for pieces that are gone, and uploaders that nothing came of their upload.
  const isTold = (trouble: Trouble) =>
    isUndeserved(trouble) && ofLost.some((name) => trouble.request.includes(name))
  const judged = record.failed.filter((trouble) => !isPartInVain(trouble) && !isTold(trouble))
  figures.note(
    'parts sent to uploads that storage had lost',
    record.failed.filter(isPartInVain).length,
  )
  figures.note(
    'viewers and uploaders answered 4xx for what was told to be missing',
    record.failed.filter(isTold).length,
  )
  figures.judgeNone('callers told of a fault of theirs', judged.filter(isUndeserved).map(inWords))
  const outside = [...judged, ...record.refused].filter((trouble) => !isOutage(trouble))
  figures.judgeNone('requests in vain while nothing was lost', outside.map(inWords))
}

/**
 * As they stand in the addresses of views and of upload sessions. Whatever else is written of a
 * lost file's asset must go on.
 */
function namesOf(record: LoadRecord, told: ReadonlySet<string>): string[] {
  const { organizationId, assets } = record
  return assets
    .filter(({ id }) => told.has(id))
    .flatMap(({ id, session }) => [`/${organizationId}/${id}/`, session])
}
