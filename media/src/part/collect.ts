/** From the packager's files to segments with the plan's numbers, looked through. */
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Part, PartTrack, Plan } from '../plan/plan.ts'
import { encodedFile } from './encode-arguments.ts'
import { type FragmentMade, readFragments } from './fragments-made.ts'
import { codecsOf, timescaleOf, withoutDuration } from './init-segment.ts'
import type { Keyframe, MadeFile, MadeSegment, MadeTrack } from './made-part.ts'
import { initFile, packagedFile, segmentFile } from './package-arguments.ts'
import { PartFailed } from './part-failed.ts'
import { rungsOf, soundOf } from './part-tracks.ts'
import { faultOfRung, faultOfSound } from './verify.ts'

export async function collectTracks(
  plan: Plan,
  part: Part,
  directory: string,
): Promise<MadeTrack[]> {
  const tracks: MadeTrack[] = []
  for (const track of part.tracks) {
    tracks.push(await collectTrack(plan, part, track, directory))
    await rm(encodedFile(directory, track.name), { force: true })
  }
  return tracks
}

async function collectTrack(
  plan: Plan,
  part: Part,
  { name, segments }: PartTrack,
  directory: string,
): Promise<MadeTrack> {
  const initPath = initFile(directory, name)
  const init = withoutDuration(await present(initPath, readFile(initPath)))
  await writeFile(initPath, init)
  const codecs = codecsOf(init)
  if (codecs === undefined) throw new PartFailed(`${name}: no codec in its header`)
  const count = segments.end - segments.start
  await joinRest(directory, name, count)
  const files: MadeFile[] = []
  const contents: FragmentMade[][] = []
  for (let index = 0; index < count; index++) {
    const packaged = packagedFile(directory, name, index)
    const bytes = await present(packaged, readFile(packaged))
    const fragments = readFragments(bytes)
    if (!fragments) throw new PartFailed(`${name}: segment ${index} of the part cannot be read`)
    const path = segmentFile(directory, name, segments.start + index)
    await rename(packaged, path)
    files.push({ path, bytes: bytes.length })
    contents.push(fragments)
  }
  const timescale = timescaleOf(init)
  const made = { timescale, segments: contents }
  const rung = rungsOf(plan, part).find((one) => one.rung.name === name)
  const sound = soundOf(plan, part)
  const fault = rung
    ? faultOfRung(plan, rung.frames, made)
    : sound
      ? faultOfSound(sound.audio.sampleRate, sound.frames, made)
      : 'is not in the plan'
  if (fault) throw new PartFailed(`${name}: ${fault}`)
  const secondsPerTick = 1 / (timescale ?? 1)
  return {
    ...{ name, codecs, init: { path: initPath, bytes: init.length } },
    segments: files.map((file, index) =>
      describe(file, contents[index] ?? [], secondsPerTick, rung !== undefined),
    ),
  }
}

function describe(
  file: MadeFile,
  fragments: readonly FragmentMade[],
  secondsPerTick: number,
  isVideo: boolean,
): MadeSegment {
  const ticks = fragments.reduce((sum, { lengthTicks }) => sum + lengthTicks, 0)
  const keyframes: Keyframe[] = isVideo
    ? fragments.map(({ offset, firstSampleBytes, lengthTicks }) => ({
        ...{ offset, bytes: firstSampleBytes },
        seconds: lengthTicks * secondsPerTick,
      }))
    : []
  return { ...file, seconds: ticks * secondsPerTick, keyframes }
}

/**
 * The packager cuts sound at a whole number of samples, which a segment need not have at every frame rate. Over hours its cuts so come
 * some milliseconds too early, and a short rest is left at the end of a part. It belongs to the last segment.
 */
async function joinRest(directory: string, name: string, count: number): Promise<void> {
  if (name !== 'audio') return
  const rest = packagedFile(directory, name, count)
  const bytes = await readFile(rest).catch(() => undefined)
  if (!bytes) return
  await appendFile(packagedFile(directory, name, count - 1), bytes)
  await rm(rest)
}

async function present<Value>(path: string, value: Promise<Value>): Promise<Value> {
  try {
    return await value
  } catch (cause) {
    throw new PartFailed(`${path.split('/').slice(-2).join('/')} was not made`, '', { cause })
  }
}
