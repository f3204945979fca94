import { errorCatalogue } from '@reelkeep/contract'

/** All that we answer when the fault is ours, so few that each may be a series of its own before it happens. */
export const failureStatuses: readonly string[] = [
  ...new Set(
    Object.values(errorCatalogue)
      .filter(({ status }) => status >= 500)
      .map(({ status }) => String(status)),
  ),
]
