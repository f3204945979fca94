/**
 * `pnpm bench render`: the CPU time of rendering a part of a video, which encodes the segments at its ends again,
 * compared with that of encoding one whole segment of the same renditions. Fails if it is more than four segments.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stdout } from 'node:process'
import { encodePart } from '../../src/encode/encode-part.ts'
import type { Part, Rung } from '../../src/plan/plan.ts'
import { renderPlan } from '../../src/render/render-plan.ts'
import { openSandbox } from '../../src/sandbox/sandbox.ts'
import { localFile } from '../../src/source/source.ts'
import { planOf } from '../plans.ts'
import { measureFfmpeg } from './ffmpeg-baseline.ts'

const FILM_SECONDS = 60
const SEGMENTS_MAX = 4
const ROUNDS = 3

const rung = (name: Rung['name'], width: number, height: number, kilobits: number): Rung => ({
  ...{ name, width, height, crf: 23, bitrateMax: kilobits * 1000, reason: '' },
})
const rungs = [
  ...[rung('240p', 426, 240, 400), rung('480p', 854, 480, 1400)],
  ...[rung('720p', 1280, 720, 3000), rung('1080p', 1920, 1080, 5000)],
]
const plan = planOf({
  ...{ durationSeconds: FILM_SECONDS, frameRate: { numerator: 25, denominator: 1 }, audioStream: 1, rungs },
})

const directory = await mkdtemp(join(tmpdir(), 'measure-render-'))
const film = join(directory, 'film.mp4')
await measureFfmpeg([
  ...['-v', 'error', '-y', '-f', 'lavfi', '-i', `testsrc2=size=1920x1080:rate=25:duration=${FILM_SECONDS}`],
  ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${FILM_SECONDS}`],
  ...['-ac', '2', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', film],
])
const sandbox = await openSandbox({ mode: 'bubblewrap' })

async function cpuSecondsOf(parts: readonly Part[]): Promise<number> {
  let seconds = 0
  for (const part of parts) {
    const output = await mkdtemp(join(directory, 'part-'))
    const { signal } = new AbortController()
    seconds += (await encodePart(sandbox, localFile(film), plan, part, { directory: output, signal })).cpuSeconds
    await rm(output, { recursive: true })
  }
  return seconds
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function medianOf(parts: readonly Part[]): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await cpuSecondsOf(parts))
  return median(rounds)
}

const wholeSegment: Part = {
  number: 0,
  tracks: [...rungs.map(({ name }) => name), 'audio' as const].map((name) => ({
    name,
    segments: { start: 5, end: 6 },
  })),
}
const segment = await medianOf([wholeSegment])
stdout.write(`One segment of 4 seconds, 240p to 1080p: ${segment.toFixed(1)} CPU s\n\n`)
stdout.write('| frames of the part | encoded again | CPU s | segments |\n|---|---|---|---|\n')
const ratios: number[] = []
for (const [startFrame, endFrame] of [
  // In the middle of segments; almost whole segments at both ends; a frame at each end, with whole neighbors.
  [350, 1050],
  [301, 1299],
  [299, 1201],
  [200, 1200],
] as const) {
  const { edges } = renderPlan(plan, { startFrame, endFrame })
  const seconds = edges.length === 0 ? 0 : await medianOf(edges)
  ratios.push(seconds / segment)
  const frames = edges.flatMap(({ tracks: [track] }) => (track && track.name !== 'audio' ? (track.frames ?? []) : []))
  const encoded = frames.map(({ start, end }) => `${start} to ${end}`).join(', ') || 'nothing'
  stdout.write(
    `| ${startFrame} to ${endFrame} | ${encoded} | ${seconds.toFixed(1)} | ${(seconds / segment).toFixed(2)} |\n`,
  )
}
await rm(directory, { recursive: true })
if (Math.max(...ratios) > SEGMENTS_MAX) {
  stdout.write(`\nRendering takes more CPU time than ${SEGMENTS_MAX} segments.\n`)
  process.exitCode = 1
}
