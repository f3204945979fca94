import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { finestLevel, waveformOf } from '../waveform/waveform.ts'
import { waveformPart } from './waveform-part.ts'

it('contains the points of the part, twenty per second', async () => {
  const points = Uint8Array.from({ length: 5000 }, (_, index) => index % 251)
  const part = gunzipSync(await waveformPart(gzipSync(waveformOf(points)), { startSeconds: 10.02, endSeconds: 100 }))
  expect(part).toEqual(waveformOf(points.subarray(200, 2000)))
  expect([...finestLevel(part)]).toEqual([...points.subarray(200, 2000)])
})
