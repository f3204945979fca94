/** Items per batch. */
const STRETCH = 500

/** Splits the items into batches. */
export async function* inStretches<Thing>(things: AsyncIterable<Thing>): AsyncGenerator<Thing[]> {
  let batch: Thing[] = []
  for await (const thing of things) {
    batch.push(thing)
    if (batch.length < STRETCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
