/** Runs the work for all items, with limited concurrency. */
export async function inFlight<Item>(
  items: readonly Item[],
  atATime: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  const lane = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atATime }, lane))
}
