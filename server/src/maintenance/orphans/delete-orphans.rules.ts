/** Which orphans may be deleted. With a wrong database, everything looks like an orphan. */

/** Maximum fraction of orphans among prefixes. A higher one most likely has another cause, such as a wrong database. */
const FRACTION_MAX = 0.1

export type DeletionScope = {
  /** Number of prefixes without an asset, and of all checked prefixes. */
  readonly orphans: number
  readonly checked: number
  /** Maximum number of orphans, confirmed by the operator. */
  readonly orphansMax: number | undefined
}

/** Returns a message for the operator that explains why nothing is deleted; undefined if deletion is allowed. */
export function refusalOf({ orphans, checked, orphansMax }: DeletionScope): string | undefined {
  if (orphansMax !== undefined) {
    return orphans <= orphansMax
      ? undefined
      : `Nothing was deleted: there are ${orphans} orphans, more than --orphans-max ${orphansMax}.`
  }
  if (orphans <= checked * FRACTION_MAX) return undefined
  return (
    `Nothing was deleted: ${orphans} of ${checked} prefixes in storage belong to no asset, more than a tenth. ` +
    `Check that DATABASE_OWNER_URL is the right, complete database. If it is, pass --orphans-max ${orphans}.`
  )
}

const DAY_SECONDS = 24 * 3600

/**
 * Minimum age of orphans. A database restored to an earlier time lacks rows of stored objects; this gives the operator
 * a day to detect that.
 */
const LIVE_SECONDS = DAY_SECONDS
/** Minimum age of orphans in a backup, which has the only copy of objects that were deleted by mistake. */
const BACKUP_SECONDS = 30 * DAY_SECONDS

/**
 * Whether an orphan is old enough to be deleted. `since` is the time when it was stored, or, in a backup, when it was
 * first found to be an orphan.
 */
export function isOldEnough(kind: 'live' | 'backup', since: Date, now: Date): boolean {
  const seconds = (now.getTime() - since.getTime()) / 1000
  return seconds >= (kind === 'live' ? LIVE_SECONDS : BACKUP_SECONDS)
}
