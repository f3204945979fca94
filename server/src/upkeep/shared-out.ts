/**
 * Does the same with many things, so many at a time. The first failure ends it, and is thrown once
 * nothing is under way any more.
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
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}

/** Whoever asks waits for those who asked before. */
async function* inTurn<Thing>(
  things: Iterable<Thing> | AsyncIterable<Thing>,
): AsyncGenerator<Thing> {
  yield* things
}
