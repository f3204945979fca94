/** Asked about in one query, or looked at before it is told what was found. */
const STRETCH = 500

/** Some at a time, however many there are. */
export async function* inStretches<Thing>(things: AsyncIterable<Thing>): AsyncGenerator<Thing[]> {
  let stretch: Thing[] = []
  for await (const thing of things) {
    stretch.push(thing)
    if (stretch.length < STRETCH) continue
    yield stretch
    stretch = []
  }
  if (stretch.length > 0) yield stretch
}
