import { setTimeout as sleep } from 'node:timers/promises'

const RETRY_MS = 1000

/** Attempts again every second until an attempt succeeds, fails with another error, or `seconds` have passed. */
export async function retryWhile<Result>(
  isRetryable: (error: unknown) => boolean,
  seconds: number,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isRetryable(error) || performance.now() >= deadline) throw error
    }
    await sleep(RETRY_MS)
  }
}
