const DAY_MILLISECONDS = 24 * 60 * 60 * 1000

/** Whole days until the entry is deleted forever, rounded up; 0 if the time is over. */
export const daysLeft = (purgeAt: string, now: number) =>
  Math.max(0, Math.ceil((Date.parse(purgeAt) - now) / DAY_MILLISECONDS))
