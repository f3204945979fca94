/**
 * What came of an event is written again and again while Postgres is away: an outcome that is lost
 * is a request that is made again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../../kernel/errors.ts'
import { isDatabaseAway } from '../../../platform/db/availability.ts'

/** Postgres is rarely away for longer. */
const TRIES_MAX = 300
const PAUSE_SECONDS = 1

/** Undefined if it was abandoned, or Postgres was away for too long. Throws at once what would only be thrown again. */
export async function insist<Result>(
  work: () => Promise<Result>,
  abandoned: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<Result | undefined> {
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    try {
      return await work()
    } catch (error) {
      if (abandoned.aborted) return undefined
      if (!mayPass(error)) throw error
      onFailure(error)
      await sleep(PAUSE_SECONDS * 1000)
    }
  }
  return undefined
}

const mayPass = (error: unknown) =>
  isDatabaseAway(error) || (error instanceof DomainError && error.code === 'unavailable')
