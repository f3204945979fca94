/**
 * `pnpm bench waveforms`: the CPU time that the waveform adds to the encoding of a ten-hour video, measured with a film
 * of a minute. It is the difference between encoding the audio with and without the samples for the peaks, plus the
 * time of this process for the peaks and for the file. Fails if that is more than 2 % of the cheapest encoding.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuUsage, stdout } from 'node:process'
import { encodeArguments, samplesFile } from '../../src/encode/arguments/encode-arguments.ts'
import { findPartAudio } from '../../src/encode/part-tracks.ts'
import type { Plan, Rung } from '../../src/plan/plan.ts'
import { peaksOf } from '../../src/waveform/peaks.ts'
import { writeWaveform } from '../../src/waveform/waveform.ts'
import { planOf } from '../plans.ts'
import { measureFfmpeg, wholePart } from './ffmpeg-baseline.ts'

const FILM_SECONDS = 60
const TEN_HOURS = 36_000
const SHARE_MAX = 0.02
const ROUNDS = 5

const rung = (name: Rung['name'], width: number, height: number, kilobits: number): Rung => ({
  ...{ name, width, height, crf: 23, bitrateMax: kilobits * 1000, reason: '' },
})
const small = rung('240p', 426, 240, 400)
const large = [small, rung('480p', 854, 480, 1400), rung('720p', 1280, 720, 3000), rung('1080p', 1920, 1080, 5000)]

const directory = await mkdtemp(join(tmpdir(), 'measure-waveforms-'))
const film = join(directory, 'film.mp4')
await measureFfmpeg([
  ...['-v', 'error', '-y', '-f', 'lavfi', '-i', `testsrc2=size=1920x1080:rate=25:duration=${FILM_SECONDS}`],
  ...['-f', 'lavfi', '-i', `anoisesrc=duration=${FILM_SECONDS}:amplitude=0.5:sample_rate=48000`],
  ...['-ac', '2', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', film],
])

const planWith = (rungs: readonly Rung[]) =>
  planOf({ durationSeconds: FILM_SECONDS, frameRate: { numerator: 25, denominator: 1 }, audioStream: 1, rungs })

function argumentsOf(plan: Plan, only?: readonly string[]): string[] {
  const input = { address: `file:${film}`, protocols: 'file', container: 'mp4' } as const
  return encodeArguments({ plan, part: wholePart(plan, only), input, directory })
}

/** The same command line without the second output of the audio graph. */
function withoutPeaks(args: readonly string[]): string[] {
  const start = args.indexOf('[peaks]') - 1
  const end = args.indexOf(samplesFile(directory)) + 1
  const kept = [...args.slice(0, start), ...args.slice(end)]
  return kept.map((argument) => argument.replace(/,asplit\[a\]\[all\];\[all\].*$/, '[a]'))
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function cpuOf(args: readonly string[]): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push((await measureFfmpeg(args)).cpuSeconds)
  return median(rounds)
}

/** The CPU time of this process for ten hours: the peaks of each part, and the file. */
async function ownCpu(plan: Plan): Promise<number> {
  const partAudio = findPartAudio(plan, wholePart(plan, ['audio']))
  if (!partAudio) throw new Error('The plan has no audio')
  const samples = await readFile(samplesFile(directory))
  const before = cpuUsage()
  for (let turn = 0; turn < ROUNDS; turn++) peaksOf(samples, partAudio)
  const peaks = cpuUsage(before)
  const long = planOf({ durationSeconds: TEN_HOURS, audioStream: 1 })
  const points = Uint8Array.from({ length: TEN_HOURS * 20 }, (_, index) => (index * 2_654_435_761) % 251)
  const beforeFile = cpuUsage()
  await writeWaveform(long, [{ firstSegment: 0, peaks: points }])
  const file = cpuUsage(beforeFile)
  const seconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6
  return (seconds(peaks) / ROUNDS / FILM_SECONDS) * TEN_HOURS + seconds(file)
}

const scale = TEN_HOURS / FILM_SECONDS
const audio = argumentsOf(planWith([small]), ['audio'])
const added = Math.max(0, (await cpuOf(audio)) - (await cpuOf(withoutPeaks(audio)))) * scale
await measureFfmpeg(audio)
const total = added + (await ownCpu(planWith([small])))
stdout.write(`The waveform of ten hours takes ${total.toFixed(0)} CPU s, ${added.toFixed(0)} of them in ffmpeg.\n\n`)
stdout.write('| renditions | encoding, CPU s | waveform |\n|---|---|---|\n')
const shares: number[] = []
for (const rungs of [[small], large]) {
  const encoding = (await measureFfmpeg(argumentsOf(planWith(rungs)))).cpuSeconds * scale
  shares.push(total / encoding)
  const names = rungs.map(({ name }) => name).join(', ')
  stdout.write(`| ${names} | ${encoding.toFixed(0)} | ${((100 * total) / encoding).toFixed(2)} % |\n`)
}
await rm(directory, { recursive: true })
if (Math.max(...shares) > SHARE_MAX) {
  stdout.write(`Goal missed: at most ${100 * SHARE_MAX} % expected\n`)
  process.exitCode = 1
}
