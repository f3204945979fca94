/** What may be deleted of all that seems to belong to nobody. A wrong database makes everything seem so. */

/** Whoever has more of them than this part of all has, most likely, another problem. */
const SHARE_MAX = 0.1

export type Doomed = {
  /** Places that belong to no asset, and places that were looked at. */
  readonly orphans: number
  readonly seen: number
  /** So many are right, says the operator. */
  readonly orphansMax: number | undefined
}

/** Why nothing is deleted, as a sentence for the operator; undefined if they may be. */
export function whyKept({ orphans, seen, orphansMax }: Doomed): string | undefined {
  if (orphansMax !== undefined) {
    return orphans <= orphansMax
      ? undefined
      : `Nothing was freed: there are ${orphans} orphans, more than --orphans-max ${orphansMax}.`
  }
  if (orphans <= seen * SHARE_MAX) return undefined
  return `Nothing was freed: ${orphans} of ${seen} places in storage belong to no asset, more than a tenth. Is this the right database, and is all of it there? If so, say --orphans-max ${orphans}.`
}

const DAY_SECONDS = 24 * 3600

/**
 * A database that was restored to an earlier moment knows less than storage does; whoever finds out
 * has a day to think.
 */
const LIVE_SECONDS = DAY_SECONDS
/** What was deleted by mistake is nowhere but in the backup. */
const BACKUP_SECONDS = 30 * DAY_SECONDS

/**
 * Whether it has been there for long enough: here since it was stored, in a backup since it was
 * first found to be an orphan.
 */
export function isOldEnough(kind: 'live' | 'backup', since: Date, now: Date): boolean {
  const seconds = (now.getTime() - since.getTime()) / 1000
  return seconds >= (kind === 'live' ? LIVE_SECONDS : BACKUP_SECONDS)
}
