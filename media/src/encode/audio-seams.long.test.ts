/** Audio is continuous across parts, and in sync with the video, for every kind of source. */
import { beforeAll, it } from 'vitest'
import {
  expectContinuousTone,
  expectInSync,
  type FlashCase,
  flashCases,
  type SeamCase,
  seamCases,
} from '../../testing/audio-seams.ts'
import { createLongSources } from '../../testing/sources/long-sources.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'

let long: string
let sandbox: Sandbox
beforeAll(async () => {
  long = await createLongSources()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
}, 300_000)

it.each(Object.keys(seamCases) as SeamCase[])('a tone in %s is continuous across parts', (name) =>
  expectContinuousTone(sandbox, long, name),
)

it.each(Object.keys(flashCases) as FlashCase[])('the flashes and beeps of %s are in sync after encoding', (name) =>
  expectInSync(sandbox, long, name),
)
