/**
 * Creates the segments of a rendered part: those at its ends are encoded again from the uploaded file, all others are
 * copied. Times are moved so that the first frame starts at 0. Segments under AES-128 are decrypted and encrypted
 * again, because their keys belong to one asset.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  codecsOf,
  type EncodedSegment,
  encodePart,
  encodeScratchBytes,
  openScratch,
  type Plan,
  type RenderPlan,
  renderPlan,
  segmentName,
  shiftSegment,
  type TrackName,
  ticksBefore,
} from '@reelkeep/media'
import pMap from 'p-map'
import { Postponed } from '../../../platform/jobs/handler.ts'
import { recoverySeconds } from '../../../platform/jobs/intervals.ts'
import { type Asset, mediaIdOf, type ShownRange, type Source, secondsOf, storagePrefix } from '../../assets/assets.ts'
import type { StoredFile } from '../../published-files/published-files.ts'
import {
  EncoderMismatch,
  type RenderedGroup,
  type RenderedTrack,
  readStored,
  type StoredRendition,
} from '../../renditions/renditions.ts'
import { openOutputs, openStored } from '../outputs.ts'
import { type ClearReader, clearReaderOf, type Seal, sealerOf } from '../steps/protection.ts'
import { lockOpen, type RenderAttempt } from './render-attempt.ts'
import type { RenderDeps } from './render-deps.ts'

/** The files of a group have the same prefix, whose names are listed in one row. */
const GROUP_SEGMENTS = 32
const SEGMENTS_AT_ONCE = 8

export type Rendered = {
  readonly plan: Plan
  readonly groups: readonly (RenderedGroup & { readonly files: readonly StoredFile[] })[]
  readonly imagesPrefix: string
  /** Seconds of the video that were encoded. */
  readonly encodedSeconds: number
}

type Part = {
  readonly asset: Asset & { readonly range: ShownRange }
  /** The uploaded file; undefined if the media has none. */
  readonly source: Source | undefined
  /** The plan of the media. */
  readonly plan: Plan
  readonly nonce: string
}

type EncodedEdges = ReadonlyMap<string, { readonly segment: EncodedSegment; readonly init: Buffer }>

/** The asset was deleted or cancelled during the rendering, or a retry has replaced this run. */
export class RenderingEnded extends Error {
  override readonly name = 'RenderingEnded'
}

export async function renderSegments(
  deps: RenderDeps,
  { db, input, signal, logger }: RenderAttempt,
  { asset, source, plan, nonce }: Part,
): Promise<Rendered> {
  const rendering = renderPlan(plan, asset.range)
  const needed = rendering.edges.map((part) => encodeScratchBytes(plan, part))
  using _space = await reserve(
    deps,
    needed.reduce((sum, bytes) => sum + bytes, 0),
  )
  await using scratch = await openScratch()
  const edges = await encodeEdges(deps, { plan, rendering, source, directory: scratch.directory, signal })
  logger.info({ cpuSeconds: edges.cpuSeconds, edges: rendering.edges.length }, 'ends of a part encoded')
  const stored = openStored(deps.media, signal)
  const whole = { ...asset, id: mediaIdOf(asset) }
  const reader = await clearReaderOf({ ...deps, db, asset: whole, stored, signal })
  const seal = await sealerOf({ ...deps, db, asset })
  const names = rendering.plan.parts.flatMap(({ tracks }) => tracks.map(({ name }) => name))
  const tracks: Track[] = []
  for (const name of names) {
    const stored = await readStored(db, whole, name)
    tracks.push(await openTrack({ reader, rendering, edges: edges.segments }, { name, stored }))
  }
  const copying = { rendering, plan, edges: edges.segments, reader, seal, startFrame: asset.range.startFrame }
  const prefixOf = (group: string) => `${storagePrefix(db.organizationId, asset.id)}render-${group}-${nonce}/`
  const groups: Rendered['groups'][number][] = []
  for (let first = 0; first < rendering.plan.segments; first += GROUP_SEGMENTS) {
    await assertOpen(db, input)
    const outputs = openOutputs(deps.media, prefixOf(String(groups.length + 1)), signal)
    const end = Math.min(first + GROUP_SEGMENTS, rendering.plan.segments)
    const written: RenderedTrack[] = []
    for (const track of tracks) written.push(await writeTrack(copying, track, { outputs, first, end }))
    groups.push({ prefix: outputs.prefix, tracks: written, files: await outputs.verified() })
  }
  const encodedSeconds = secondsOf(encodedFrames(rendering), asset.range)
  return { plan: rendering.plan, groups, imagesPrefix: prefixOf('0'), encodedSeconds }
}

/** Ends an attempt that cannot be published any more, for example because the asset was cancelled. */
async function assertOpen(db: RenderAttempt['db'], input: RenderAttempt['input']): Promise<void> {
  const asset = await db.transaction((tx) => tx.withTrash((all) => lockOpen(all, input)))
  if (!asset) throw new RenderingEnded()
}

/** @throws Postponed if this worker has too little space: another one may have enough. */
async function reserve({ scratch, intervals }: RenderDeps, bytes: number): Promise<Disposable> {
  const space = await scratch.reserve(bytes)
  if (space) return space
  const delaySeconds = recoverySeconds(intervals)
  throw new Postponed({ reason: 'disk', delaySeconds, pauseSeconds: 2 * delaySeconds })
}

/** Frames of the video that are encoded again. */
const encodedFrames = ({ edges }: RenderPlan) =>
  edges
    .map(({ tracks }) => tracks.find(({ name }) => name !== 'audio')?.frames)
    .reduce((sum, frames) => sum + (frames ? frames.end - frames.start : 0), 0)

type Edges = {
  readonly plan: Plan
  readonly rendering: RenderPlan
  readonly source: Source | undefined
  readonly directory: string
  readonly signal: AbortSignal
}

/** Encodes the segments that are cut. */
async function encodeEdges(
  { uploads, sandbox }: RenderDeps,
  { plan, rendering, source, directory, signal }: Edges,
): Promise<{ readonly segments: EncodedEdges; readonly cpuSeconds: number }> {
  const segments = new Map<string, { segment: EncodedSegment; init: Buffer }>()
  let cpuSeconds = 0
  for (const part of rendering.edges) {
    if (!source) throw new Error('The media has no uploaded file, from which its segments could be cut')
    const file = {
      sizeBytes: source.bytes,
      read: (range: Parameters<typeof uploads.read>[1], reading: AbortSignal) => uploads.read(source, range, reading),
    }
    const own = join(directory, String(part.number))
    await mkdir(own)
    const encoded = await encodePart(sandbox, file, plan, part, { directory: own, signal })
    cpuSeconds += encoded.cpuSeconds
    const number = part.tracks[0]?.segments.start ?? 0
    for (const { name, init, segments: made } of encoded.tracks) {
      const header = await readFile(init.path)
      for (const [index, segment] of made.entries())
        segments.set(`${name} ${number + index}`, { segment, init: header })
    }
  }
  return { segments, cpuSeconds }
}

type Track = {
  readonly name: TrackName
  readonly stored: StoredRendition
  readonly init: Buffer
  readonly codecs: string
}

/** If nothing is copied, the header is that of the encoded segments: fewer than three frames have another one. */
async function openTrack(
  { reader, rendering, edges }: Pick<Copying, 'reader' | 'rendering' | 'edges'>,
  { name, stored }: Pick<Track, 'name' | 'stored'>,
): Promise<Track> {
  const isCopied = rendering.copied.start < rendering.copied.end
  const encoded = isCopied ? undefined : edges.get(`${name} ${rendering.segments.start}`)
  const init = encoded?.init ?? (await reader.readInit(stored.initKey))
  const codecs = codecsOf(init)
  if (codecs === undefined) throw new Error(`The header of ${name} has no codec`)
  return { name, stored, init, codecs }
}

type Copying = {
  readonly rendering: RenderPlan
  readonly plan: Plan
  readonly edges: EncodedEdges
  readonly reader: ClearReader
  readonly seal: Seal
  readonly startFrame: number
}

type Group = {
  readonly outputs: ReturnType<typeof openOutputs>
  /** Numbers of segments of the new video; `end` is exclusive. */
  readonly first: number
  readonly end: number
}

/** Writes the segments of a track, and its header with the first ones. */
async function writeTrack(copying: Copying, track: Track, { outputs, first, end }: Group): Promise<RenderedTrack> {
  const { name, init, codecs } = track
  const type = name === 'audio' ? 'audio/mp4' : 'video/mp4'
  const initHash = createHash('sha256').update(init).digest('hex')
  if (first === 0) await outputs.put(`${name}/init.mp4`, init, type)
  const numbers = Array.from({ length: end - first }, (_, index) => first + index)
  const ticks = ticksBefore(copying.plan, name, copying.startFrame)
  const segments = await pMap(
    numbers,
    async (number) => {
      const { bytes: clear, ...segment } = await readClear(copying, track, number)
      const file = `${name}/${segmentName(number)}`
      const sealed = copying.seal({ number, key: `${outputs.prefix}${file}` }, shiftSegment(clear, ticks))
      await outputs.put(file, sealed, type)
      return { ...segment, bytes: sealed.length }
    },
    { concurrency: SEGMENTS_AT_ONCE },
  )
  return { name, codecs, initHash, firstSegment: first, segments }
}

/** A segment of the new video, with the times of the whole one. */
async function readClear({ rendering, edges, reader }: Copying, { name, stored, init }: Track, number: number) {
  const inWhole = rendering.segments.start + number
  const edge = edges.get(`${name} ${inWhole}`)
  if (edge) {
    if (!edge.init.equals(init)) throw new EncoderMismatch()
    const { path, seconds, keyframes } = edge.segment
    return { bytes: await readFile(path), seconds, keyframes }
  }
  const copied = stored.segments[inWhole]
  if (!copied || !reader.readSegment) throw new Error(`Segment ${inWhole} of ${name} cannot be read`)
  const { key, seconds, keyframes } = copied
  return { bytes: await reader.readSegment({ number: inWhole, key }), seconds, keyframes }
}
