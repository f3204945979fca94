import type { Check } from '../check.ts'
import { ok } from '../check-result.ts'
import { compareOwnClock, compareStorageClock } from '../compare-clocks.ts'

/** Compares clocks. Runs after the storage checks, because a third clock is needed to decide which of two is wrong. */
export const clock: Check = {
  name: 'clock',
  description: 'clock of this machine',
  needs: ['api-reachable'],
  run: async ({ shared: { apiAheadSeconds, storageAheadSeconds } }) =>
    apiAheadSeconds === undefined
      ? ok('The API does not report its time.')
      : compareOwnClock(apiAheadSeconds, storageAheadSeconds),
}

export const storageClock: Check = {
  name: 'storage-clock',
  description: 'clock of storage',
  needs: ['storage-reachable'],
  run: async ({ shared: { apiAheadSeconds, storageAheadSeconds } }) =>
    apiAheadSeconds === undefined || storageAheadSeconds === undefined
      ? ok('The API or storage does not report its time.')
      : compareStorageClock(apiAheadSeconds, storageAheadSeconds),
}
