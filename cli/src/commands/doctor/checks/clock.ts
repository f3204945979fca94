import type { Check } from '../check.ts'
import { fine } from '../finding.ts'
import { judgeOwnClock, judgeStorageClock } from '../judge-clocks.ts'

/** Behind storage: which of two clocks is wrong only a third one tells. */
export const clock: Check = {
  name: 'clock',
  what: 'this machine’s clock',
  needs: ['api-reachable'],
  look: async ({ seen: { apiAheadSeconds, storageAheadSeconds } }) =>
    apiAheadSeconds === undefined
      ? fine('The API does not tell its time.')
      : judgeOwnClock(apiAheadSeconds, storageAheadSeconds),
}

export const storageClock: Check = {
  name: 'storage-clock',
  what: 'storage’s clock',
  needs: ['storage-reachable'],
  look: async ({ seen: { apiAheadSeconds, storageAheadSeconds } }) =>
    apiAheadSeconds === undefined || storageAheadSeconds === undefined
      ? fine('The API or storage does not tell its time.')
      : judgeStorageClock(apiAheadSeconds, storageAheadSeconds),
}
