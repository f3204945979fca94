/** From the packager's files to segments with the plan's numbers, each of them looked through. */
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Encryption } from '../encryption/encryption.ts'
import { faultOfSealing } from '../encryption/sealing.ts'
import type { Part, PartTrack, Plan } from '../plan/plan.ts'
import { encodedFile } from './encode-arguments.ts'
import { type FragmentMade, readFragments } from './fragments-made.ts'
import { codecsOf, sameInEveryPart, skippedTicksOf, timescaleOf } from './init-segment.ts'
import type { Keyframe, MadeFile, MadeSegment, MadeTrack } from './made-part.ts'
import { initFile, packagedFile, segmentFile } from './package-arguments.ts'
import { PartFailed } from './part-failed.ts'
import { rungsOf, soundOf } from './part-tracks.ts'
import { faultOfRung, faultOfSound, type TrackMade } from './verify.ts'

type Collected = { readonly file: MadeFile; readonly fragments: readonly FragmentMade[] }

type Made = { readonly directory: string; readonly encryption: Encryption | undefined }

/** @throws PartFailed if they are not what the plan says, or not encrypted as they should be. */
export async function collectTracks(
  plan: Plan,
  part: Part,
  directory: string,
  encryption?: Encryption,
): Promise<MadeTrack[]> {
  const tracks: MadeTrack[] = []
  for (const track of part.tracks) {
    tracks.push(await collectTrack(plan, part, track, { directory, encryption }))
    await rm(encodedFile(directory, track.name), { force: true })
  }
  return tracks
}

async function collectTrack(
  plan: Plan,
  part: Part,
  track: PartTrack,
  { directory, encryption }: Made,
): Promise<MadeTrack> {
  const { name } = track
  const path = initFile(directory, name)
  const header = sameInEveryPart(await requireFile(path))
  await writeFile(path, header)
  const [codecs, timescale] = [codecsOf(header), timescaleOf(header)]
  if (codecs === undefined || !timescale) throw new PartFailed(`${name}: a header without a codec`)
  if (name === 'audio') await joinRest(track, directory)
  const collected = await collectSegments(track, directory)
  const segments = collected.map(({ fragments }) => fragments)
  const skippedTicks = skippedTicksOf(header)
  const fault =
    faultOf(plan, part, track, { timescale, skippedTicks, segments }) ??
    (encryption && faultOfSealing(encryption, name, header, segments.flat()))
  if (fault) throw new PartFailed(`${name}: ${fault}`)
  return {
    ...{ name, codecs, init: { path, bytes: header.length } },
    segments: collected.map((segment) => describe(segment, timescale, name !== 'audio')),
  }
}

function faultOf(plan: Plan, part: Part, { name }: PartTrack, made: TrackMade) {
  const rung = rungsOf(plan, part).find((one) => one.rung.name === name)
  if (rung) return faultOfRung(plan, rung.frames, made)
  const sound = soundOf(plan, part)
  if (sound) return faultOfSound(sound.audio.sampleRate, sound.frames, made)
  return 'is not in the plan'
}

async function collectSegments(
  { name, segments: { start, end } }: PartTrack,
  directory: string,
): Promise<Collected[]> {
  const collected: Collected[] = []
  for (let number = start; number < end; number++) {
    const packaged = packagedFile(directory, name, number - start)
    const bytes = await requireFile(packaged)
    const fragments = readFragments(bytes)
    if (!fragments) throw new PartFailed(`${name}: segment ${number} cannot be read`)
    const path = segmentFile(directory, name, number)
    await rename(packaged, path)
    collected.push({ file: { path, bytes: bytes.length }, fragments })
  }
  return collected
}

function describe(
  { file, fragments }: Collected,
  timescale: number,
  hasKeyframes: boolean,
): MadeSegment {
  const ticks = fragments.reduce((sum, { lengthTicks }) => sum + lengthTicks, 0)
  const keyframes = hasKeyframes ? fragments.map((fragment) => keyframeOf(fragment, timescale)) : []
  return { ...file, seconds: ticks / timescale, keyframes }
}

/** Each fragment begins with one, and has no other. */
const keyframeOf = (fragment: FragmentMade, timescale: number): Keyframe => ({
  offset: fragment.offset,
  bytes: fragment.firstSampleBytes,
  seconds: fragment.lengthTicks / timescale,
})

/**
 * The packager cuts sound at a whole number of samples, which a segment need not have at every
 * frame rate. Over hours its cuts so come some milliseconds too early, and a short rest is left at
 * the end of a part. It belongs to the last segment.
 */
async function joinRest({ name, segments }: PartTrack, directory: string): Promise<void> {
  const count = segments.end - segments.start
  const rest = packagedFile(directory, name, count)
  const bytes = await readFile(rest).catch(() => undefined)
  if (!bytes) return
  await appendFile(packagedFile(directory, name, count - 1), bytes)
  await rm(rest)
}

async function requireFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new PartFailed(`${path.split('/').slice(-2).join('/')} was not made`, '', { cause })
  }
}
