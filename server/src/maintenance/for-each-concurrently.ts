import pMap from 'p-map'

/**
 * Runs `work` for every item, a limited number of them concurrently. The first failure or an abort stops it, and is
 * thrown after all running items have ended, so that the caller can close the resources they use.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { concurrency, signal }: { readonly concurrency: number; readonly signal: AbortSignal },
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const running = new Set<Promise<unknown>>()
  const runTracked = async (item: Item) => {
    const run = work(item)
    running.add(run)
    await run.finally(() => running.delete(run))
  }
  try {
    await pMap(items, runTracked, { concurrency, signal })
  } finally {
    await Promise.allSettled(running)
  }
}
