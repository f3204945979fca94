/**
 * Runs `work` for every item, a limited number concurrently. The first failure stops it and is thrown once all
 * running ones have ended.
 */
export async function sharedOut<Thing>(
  things: Iterable<Thing> | AsyncIterable<Thing>,
  atOnce: number,
  work: (thing: Thing) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const queue = inTurn(things)
  let hasFailed = false
  const worker = async () => {
    for (let next = await queue.next(); !next.done; next = await queue.next()) {
      if (hasFailed) return
      signal.throwIfAborted()
      await work(next.value)
    }
  }
  const workers = Array.from({ length: atOnce }, () =>
    worker().catch((error: unknown) => {
      hasFailed = true
      throw error
    }),
  )
  const ended = await Promise.allSettled(workers)
  for (const result of ended) if (result.status === 'rejected') throw result.reason
}

/** Serializes calls to next(). */
async function* inTurn<Thing>(
  things: Iterable<Thing> | AsyncIterable<Thing>,
): AsyncGenerator<Thing> {
  yield* things
}
