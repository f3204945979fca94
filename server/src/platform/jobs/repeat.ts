import { setTimeout as sleep } from 'node:timers/promises'

/** Does something again and again, with a pause between, until disposed of. A failure is told, and the next turn comes. */
export function repeat(
  pauseSeconds: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
): AsyncDisposable {
  const over = new AbortController()
  const turns = (async () => {
    while (!over.signal.aborted) {
      await work().catch(onFailure)
      await sleep(pauseSeconds * 1000, undefined, { signal: over.signal }).catch(() => {})
    }
  })()
  return {
    [Symbol.asyncDispose]: () => {
      over.abort()
      return turns
    },
  }
}
