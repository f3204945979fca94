/** Checks that every part selects the same source frames as a single run over the whole video. */
import { beforeAll, it } from 'vitest'
import { expectSameFrames } from '../../testing/same-frames.ts'
import { createLongSources } from '../../testing/sources/long-sources.ts'

let directory: string
beforeAll(async () => {
  directory = await createLongSources()
}, 300_000)

/** One file per feature; same-frames.long.test.ts uses all files. */
const sample = ['ntsc.mp4', 'variable-rate.mp4', 'edit-list.mp4', 'late-video.mkv', 'plain.ts']

it.each(sample)('parts of %s have the same frames as a single run', (name) => expectSameFrames(directory, name))
