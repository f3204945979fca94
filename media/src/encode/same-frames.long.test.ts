/** Checks that every part selects the same source frames as a single run, for every kind of source. */
import { beforeAll, it } from 'vitest'
import { expectSameFrames, framesCases } from '../../testing/same-frames.ts'
import { createLongSources } from '../../testing/sources/long-sources.ts'

let directory: string
beforeAll(async () => {
  directory = await createLongSources()
}, 300_000)

it.each(Object.keys(framesCases))('parts of %s have the same frames as a single run', (name) =>
  expectSameFrames(directory, name),
)
