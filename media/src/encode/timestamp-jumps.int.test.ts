/** Encodes damaged files whose timestamps jump by months: content after a part must not slow down its encoding. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { planOf, rungOf } from '../../testing/plans.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'
import { encodePart } from './encode-part.ts'

/**
 * Length of the gap between two timestamps. Filling it with frames would take a quarter of an hour, longer than
 * the timeout of a test.
 */
const MONTHS_SECONDS = 8_000_000

let directory: string
let sandbox: Sandbox
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jumps-'))
  sandbox = await openSandbox({ mode: 'bubblewrap' })
})
afterAll(() => rm(directory, { recursive: true }))

it.each([
  ['video', `setpts=if(gte(N\\,20)\\,PTS+${MONTHS_SECONDS}/TB\\,PTS)`, 'anull'],
  ['audio', 'null', `asetpts=if(gte(N\\,20)\\,PTS+${MONTHS_SECONDS}/TB\\,PTS)`],
])('encodes a part of a file whose %s timestamps jump', async (kind, videoFilter, audioFilter) => {
  const path = join(directory, `${kind}.mkv`)
  const lavfi = ['testsrc=size=64x36:rate=30:duration=1', 'sine=duration=1:sample_rate=48000']
  const inputs = lavfi.flatMap((source) => ['-f', 'lavfi', '-i', source])
  const codecs = ['-c:v', 'mjpeg', '-c:a', 'pcm_s16le', '-fps_mode', 'passthrough']
  await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', ...inputs, '-vf', videoFilter, '-af', audioFilter, ...codecs],
    ...['-max_interleave_delta', '0', path],
  ])
  const plan = planOf({ durationSeconds: 2, rungs: [rungOf('240p', 64, 36)], audioStream: 1 })
  const [part] = plan.parts
  if (!part) throw new Error('no part')
  const source = localFile(path)
  const { signal } = new AbortController()
  const { tracks } = await encodePart(sandbox, source, plan, part, { directory, signal })
  expect(tracks.map(({ name }) => name)).toEqual(['240p', 'audio'])
})
