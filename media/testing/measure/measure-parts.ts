/**
 * `node media/testing/measure/measure-parts.ts <1080p video with audio> <seconds> [chunk segments]`: the
 * cost of encoding a video in parts, compared with ffmpeg alone in one run with the same rungs.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv, cpuUsage, stdout } from 'node:process'
import { encodePart } from '../../src/encode/encode-part.ts'
import type { Part, Plan, Rung } from '../../src/plan/plan.ts'
import { openSandbox } from '../../src/sandbox/sandbox.ts'
import { fileObject } from '../../src/source/file-object.ts'
import { localFile, type Source } from '../../src/source/source.ts'
import { planOf } from '../plans.ts'
import { type Cost, encodeWithFfmpeg } from './ffmpeg-baseline.ts'

const rung = (name: Rung['name'], width: number, height: number, kilobits: number): Rung => ({
  ...{ name, width, height, crf: 23, bitrateMax: kilobits * 1000, reason: '' },
})
const rungs = [
  ...[rung('240p', 426, 240, 400), rung('360p', 640, 360, 800), rung('480p', 854, 480, 1400)],
  ...[rung('540p', 960, 540, 1800), rung('720p', 1280, 720, 3000), rung('1080p', 1920, 1080, 5000)],
]

const [path = '', seconds = '60', chunkSegments = '10'] = argv.slice(2)
const sandbox = await openSandbox({ mode: 'bubblewrap' })
const options = { durationSeconds: Number(seconds), audioStream: 1, rungs }
const plan = planOf({ ...options, chunkSegments: Number(chunkSegments) })
const whole = planOf({ ...options, openingSegments: 0, chunkSegments: plan.segments })

const printRow = (label: string, { cpuSeconds, wallSeconds }: Cost) =>
  stdout.write(`| ${label} | ${cpuSeconds.toFixed(2)} | ${wallSeconds.toFixed(2)} |\n`)

async function measureFfmpeg(usedPlan: Plan, part: Part | undefined): Promise<Cost> {
  if (!part) throw new Error('no part')
  const directory = await mkdtemp(join(tmpdir(), 'measure-parts-'))
  const cost = await encodeWithFfmpeg(path, usedPlan, part, directory)
  await rm(directory, { recursive: true })
  return cost
}

/** Measures encoding of the parts, including the costs of this process. */
async function measureParts(source: Source, parts: readonly Part[]): Promise<Cost> {
  const before = cpuUsage()
  const startedAt = performance.now()
  let cpuSeconds = 0
  for (const part of parts) {
    const directory = await mkdtemp(join(tmpdir(), 'measure-parts-'))
    const signal = new AbortController().signal
    cpuSeconds += (await encodePart(sandbox, source, plan, part, { directory, signal })).cpuSeconds
    await rm(directory, { recursive: true })
  }
  const wallSeconds = (performance.now() - startedAt) / 1000
  const own = cpuUsage(before)
  return { cpuSeconds: cpuSeconds + (own.user + own.system) / 1e6, wallSeconds }
}

stdout.write('| | CPU s | wall s |\n|---|---|---|\n')
const [opening] = plan.parts
for (let round = 0; round < 3; round++) {
  printRow('opening, ffmpeg alone', await measureFfmpeg(plan, opening))
  printRow('opening, file', await measureParts(localFile(path), plan.parts.slice(0, 1)))
  printRow('opening, object', await measureParts(await fileObject(path), plan.parts.slice(0, 1)))
}
printRow('all in one run, ffmpeg alone', await measureFfmpeg(whole, whole.parts.at(-1)))
printRow(`${plan.parts.length} parts, object`, await measureParts(await fileObject(path), plan.parts))
printRow('all in one run, ffmpeg alone', await measureFfmpeg(whole, whole.parts.at(-1)))
printRow(`${plan.parts.length} parts, file`, await measureParts(localFile(path), plan.parts))
