/** Files whose times jump by months, as broken ones do: what lies behind a part costs it nothing. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { planOf, rungOf } from '../../testing/plans.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'
import { makePart } from './make-part.ts'

const MONTHS_SECONDS = 8_000_000
/** It takes less than one. Filling the gap would take a quarter of an hour. */
const SECONDS_MAX = 15

let directory: string
let sandbox: Sandbox
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jumps-'))
  sandbox = await openSandbox({ mode: 'bubblewrap' })
})
afterAll(() => rm(directory, { recursive: true }))

it.each([
  ['the pictures', `setpts=if(gte(N\\,20)\\,PTS+${MONTHS_SECONDS}/TB\\,PTS)`, 'anull'],
  ['the sound', 'null', `asetpts=if(gte(N\\,20)\\,PTS+${MONTHS_SECONDS}/TB\\,PTS)`],
])('%s', async (what, pictures, sound) => {
  const path = join(directory, `${what}.mkv`)
  const lavfi = ['testsrc=size=64x36:rate=30:duration=1', 'sine=duration=1:sample_rate=48000']
  const inputs = lavfi.flatMap((source) => ['-f', 'lavfi', '-i', source])
  const codecs = ['-c:v', 'mjpeg', '-c:a', 'pcm_s16le', '-fps_mode', 'passthrough']
  await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', ...inputs, '-vf', pictures, '-af', sound, ...codecs],
    ...['-max_interleave_delta', '0', path],
  ])
  const plan = planOf({ durationSeconds: 2, rungs: [rungOf('240p', 64, 36)], audioStream: 1 })
  const [part] = plan.parts
  if (!part) throw new Error('A plan without parts')
  const source = localFile(path)
  const signal = AbortSignal.timeout(SECONDS_MAX * 1000)
  const { tracks } = await makePart(sandbox, source, plan, part, { directory, signal })
  expect(tracks.map(({ name }) => name)).toEqual(['240p', 'audio'])
})
