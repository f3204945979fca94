/**
 * How a part is made: one run of ffmpeg encodes all its tracks, one of the packager makes segments
 * of them, and these are looked through. Nothing of it depends on other parts, so any worker makes
 * any of them, and makes it again.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Encryption } from '../encryption/encryption.ts'
import type { Part, Plan } from '../plan/plan.ts'
import type { Container } from '../probe/container.ts'
import { HEAD_BYTES, recognise } from '../probe/recognise.ts'
import type { Run, Sandbox } from '../sandbox/sandbox.ts'
import type { BlockReader } from '../source/block-reader.ts'
import { type OpenedSource, withSource } from '../source/opened-source.ts'
import { isLocalFile, ReadBudgetSpent, type Source, SourceUnreadable } from '../source/source.ts'
import { collectTracks } from './collect.ts'
import { encode } from './encode.ts'
import type { MadePart } from './made-part.ts'
import { packageTracks } from './package.ts'
import { assertDone, PartFailed, PartInterrupted } from './part-failed.ts'
import { KEPT_BYTES_MAX, readBytesMax } from './part-limits.ts'
import type { MadeSegments } from './progress.ts'

export type MakePartOptions = {
  /** Where it is left; it must exist, and is the caller's to remove. */
  readonly directory: string
  readonly signal: AbortSignal
  /** Told how many segments of each track there are, when there are more. */
  readonly onProgress?: (made: MadeSegments) => void
  /** Of a protected video: nothing of it is left in the clear. */
  readonly encryption?: Encryption | undefined
}

/** @throws PartFailed, or PartInterrupted when it may go better another time. */
export async function makePart(
  sandbox: Sandbox,
  source: Source,
  plan: Plan,
  part: Part,
  options: MakePartOptions,
): Promise<MadePart> {
  const reading = {
    mode: sandbox.mode,
    bytesMax: isLocalFile(source) ? HEAD_BYTES * 8 : readBytesMax(source.sizeBytes),
    keptBytesMax: KEPT_BYTES_MAX,
    signal: options.signal,
  }
  const made = withSource(source, reading, (opened, signal) =>
    make(sandbox, opened, plan, part, { ...options, signal }),
  )
  return made.catch((error: unknown) => {
    throw explained(error, options.signal)
  })
}

async function make(
  sandbox: Sandbox,
  source: OpenedSource,
  plan: Plan,
  part: Part,
  { directory, signal, onProgress = () => undefined, encryption }: MakePartOptions,
): Promise<MadePart> {
  const container = await requireContainer(source.reader)
  const encoded = await encode(sandbox, {
    ...{ plan, part, source, container, directory, signal, onProgress },
  })
  assertDone('ffmpeg', encoded)
  for (const { name } of part.tracks) await mkdir(join(directory, name), { recursive: true })
  const packaged = await packageTracks(sandbox, { plan, part, directory, signal, encryption })
  assertDone('packager', packaged)
  const tracks = await collectTracks(plan, part, directory, encryption).catch((error: unknown) => {
    throw error instanceof PartFailed ? withWords(error, encoded, packaged) : error
  })
  return { tracks, cpuSeconds: (encoded.cpuSeconds ?? 0) + (packaged.cpuSeconds ?? 0) }
}

async function requireContainer(reader: BlockReader): Promise<Container> {
  const recognised = recognise(await reader.read({ start: 0, end: HEAD_BYTES }))
  if (recognised.kind === 'container') return recognised.container
  throw new PartFailed(`The source is no video: ${recognised.kind}`)
}

/** What the programs said, which may tell why. */
const withWords = (error: PartFailed, ...runs: readonly Run[]) =>
  new PartFailed(error.message, runs.map(({ stderr }) => stderr).join('\n'), { cause: error.cause })

/** The caller's wish comes first: what breaks after it is a consequence. */
function explained(error: unknown, wish: AbortSignal): unknown {
  if (wish.aborted) {
    return new PartInterrupted('aborted', 'Making the part was called off', { cause: wish.reason })
  }
  if (error instanceof SourceUnreadable) {
    return new PartInterrupted('source-unreadable', error.message, { cause: error.cause ?? error })
  }
  if (error instanceof ReadBudgetSpent) {
    return new PartFailed(`The source was read too often: ${error.message}`, '', { cause: error })
  }
  return error
}
