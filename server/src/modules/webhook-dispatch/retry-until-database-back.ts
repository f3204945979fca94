/** Retries writing the result of a delivery while Postgres is unavailable: a lost result means a repeated request. */
import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../kernel/errors.ts'
import { isDatabaseUnavailable } from '../../platform/db/availability.ts'

/** Postgres is rarely unavailable for longer. */
const TRIES_MAX = 300
const PAUSE_SECONDS = 1

/** Undefined if it was aborted or Postgres was unavailable for too long. Throws other errors at once. */
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
  isDatabaseUnavailable(error) || (error instanceof DomainError && error.code === 'unavailable')
