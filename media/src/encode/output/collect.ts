/** Renames the packager's files to segments with the plan's numbers, and verifies each of them. */
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Encryption } from '../../encryption/encryption.ts'
import { findEncryptionError } from '../../encryption/verify-encryption.ts'
import type { Part, PartTrack, Plan } from '../../plan/plan.ts'
import { peaksOf } from '../../waveform/peaks.ts'
import { encodedFile, samplesFile } from '../arguments/encode-arguments.ts'
import { initFile, packagedFile, segmentFile } from '../arguments/package-arguments.ts'
import { PartFailed } from '../part-errors.ts'
import { findPartAudio, partRungs } from '../part-tracks.ts'
import type { EncodedSegment, EncodedTrack, Keyframe, OutputFile } from './encoded-part.ts'
import { type FragmentInfo, readFragments } from './fragment-index.ts'
import { codecsOf, skippedTicksOf, timescaleOf, withoutRunBoxes } from './init-segment.ts'
import { findAudioError, findRungError, type TrackFragments } from './verify.ts'

type CollectedSegment = { readonly file: OutputFile; readonly fragments: readonly FragmentInfo[] }

type CollectOptions = { readonly directory: string; readonly encryption: Encryption | undefined }

/** @throws PartFailed if the tracks do not match the plan, or are not encrypted as required. */
export async function collectTracks(
  plan: Plan,
  part: Part,
  directory: string,
  encryption?: Encryption,
): Promise<EncodedTrack[]> {
  const tracks: EncodedTrack[] = []
  for (const track of part.tracks) {
    tracks.push(await collectTrack(plan, part, track, { directory, encryption }))
    await rm(encodedFile(directory, track.name), { force: true })
  }
  await rm(samplesFile(directory), { force: true })
  return tracks
}

async function collectTrack(
  plan: Plan,
  part: Part,
  track: PartTrack,
  { directory, encryption }: CollectOptions,
): Promise<EncodedTrack> {
  const { name } = track
  const path = initFile(directory, name)
  const header = withoutRunBoxes(await requireFile(path))
  await writeFile(path, header)
  const [codecs, timescale] = [codecsOf(header), timescaleOf(header)]
  if (codecs === undefined || !timescale) throw new PartFailed(`${name}: the header has no codec`)
  if (name === 'audio') await joinRemainder(track, directory)
  const collected = await collectSegments(track, directory)
  const segments = collected.map(({ fragments }) => fragments)
  const skippedTicks = skippedTicksOf(header)
  const error =
    findTrackError(plan, part, track, { timescale, skippedTicks, segments }) ??
    (encryption && findEncryptionError(encryption, name, header, segments.flat()))
  if (error) throw new PartFailed(`${name}: ${error}`)
  const audio = name === 'audio' ? findPartAudio(plan, part) : undefined
  return {
    ...{ name, codecs, init: { path, bytes: header.length } },
    ...(audio && { peaks: peaksOf(await requireFile(samplesFile(directory)), audio) }),
    segments: collected.map((segment) => describeSegment(segment, timescale, name !== 'audio')),
  }
}

function findTrackError(plan: Plan, part: Part, { name }: PartTrack, made: TrackFragments) {
  const rung = partRungs(plan, part).find((track) => track.rung.name === name)
  if (rung) return findRungError(plan, rung.frames, made)
  const audio = findPartAudio(plan, part)
  if (audio) return findAudioError(audio.audio.sampleRate, audio.frames, made)
  return 'is not in the plan'
}

async function collectSegments(
  { name, segments: { start, end } }: PartTrack,
  directory: string,
): Promise<CollectedSegment[]> {
  const collected: CollectedSegment[] = []
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

function describeSegment(
  { file, fragments }: CollectedSegment,
  timescale: number,
  hasKeyframes: boolean,
): EncodedSegment {
  const ticks = fragments.reduce((sum, { lengthTicks }) => sum + lengthTicks, 0)
  const keyframes = hasKeyframes ? fragments.map((fragment) => keyframeOf(fragment, timescale)) : []
  return { ...file, seconds: ticks / timescale, keyframes }
}

/** Describes the keyframe of a fragment. A fragment starts with its only keyframe. */
const keyframeOf = (fragment: FragmentInfo, timescale: number): Keyframe => ({
  offset: fragment.offset,
  bytes: fragment.firstSampleBytes,
  seconds: fragment.lengthTicks / timescale,
})

/**
 * The packager cuts audio at a whole number of samples, but at some frame rates a segment is not a
 * whole number of samples. Over hours, its cuts are a few milliseconds too early, and a short
 * remainder is left at the end of a part. It is appended to the last segment.
 */
async function joinRemainder({ name, segments }: PartTrack, directory: string): Promise<void> {
  const count = segments.end - segments.start
  const remainder = packagedFile(directory, name, count)
  const bytes = await readFile(remainder).catch(() => undefined)
  if (!bytes) return
  await appendFile(packagedFile(directory, name, count - 1), bytes)
  await rm(remainder)
}

async function requireFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new PartFailed(`${path.split('/').slice(-2).join('/')} is missing`, '', { cause })
  }
}
