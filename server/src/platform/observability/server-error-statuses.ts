import { errorCatalogue } from '@reelkeep/contract'

/** All 5xx statuses of the API; few enough to initialize a time series for each. */
export const serverErrorStatuses: readonly string[] = [
  ...new Set(
    Object.values(errorCatalogue)
      .filter(({ status }) => status >= 500)
      .map(({ status }) => String(status)),
  ),
]
