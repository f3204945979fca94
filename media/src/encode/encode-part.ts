/**
 * Encodes a part: one ffmpeg run encodes all its tracks, one packager run creates segments, and the segments are
 * verified. Parts are independent of each other, so any worker can encode, or retry, any of them.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Encryption } from '../encryption/encryption.ts'
import type { Part, Plan } from '../plan/plan.ts'
import type { Container } from '../probe/container/container.ts'
import { detectFormat, HEAD_BYTES } from '../probe/container/detect-format.ts'
import type { Run, Sandbox } from '../sandbox/sandbox.ts'
import { assertDiskWorks, isDiskError } from '../scratch/disk-errors.ts'
import type { BlockReader } from '../source/block-reader.ts'
import { type OpenedSource, withSource } from '../source/opened-source.ts'
import { isLocalFile, ReadLimitExceeded, type Source, SourceUnreadable } from '../source/source.ts'
import { collectTracks } from './output/collect.ts'
import type { EncodedPart } from './output/encoded-part.ts'
import { assertSucceeded, diskInterruption, PartFailed, PartInterrupted } from './part-errors.ts'
import { CACHE_BYTES_MAX, readBytesMax } from './part-limits.ts'
import type { SegmentCounts } from './progress.ts'
import { runEncoder } from './run-encoder.ts'
import { runPackager } from './run-packager.ts'

export type EncodePartOptions = {
  /** Output directory. It must exist; the caller removes it. */
  readonly directory: string
  readonly signal: AbortSignal
  /** Called with the number of finished segments per track whenever it changes. */
  readonly onProgress?: (result: SegmentCounts) => void
  /** Keys of a protected video. If present, all output is encrypted. */
  readonly encryption?: Encryption | undefined
}

/** @throws PartFailed, or PartInterrupted if a retry may succeed. */
export async function encodePart(
  sandbox: Sandbox,
  source: Source,
  plan: Plan,
  part: Part,
  options: EncodePartOptions,
): Promise<EncodedPart> {
  const sourceOptions = {
    mode: sandbox.mode,
    bytesMax: isLocalFile(source) ? HEAD_BYTES * 8 : readBytesMax(source.sizeBytes),
    cacheBytesMax: CACHE_BYTES_MAX,
    signal: options.signal,
  }
  const made = withSource(source, sourceOptions, (opened, signal) =>
    encodeOpened(sandbox, opened, plan, part, { ...options, signal }),
  )
  return made.catch((error: unknown) => {
    throw toPartError(error, options.signal)
  })
}

async function encodeOpened(
  sandbox: Sandbox,
  source: OpenedSource,
  plan: Plan,
  part: Part,
  { directory, signal, onProgress = () => undefined, encryption }: EncodePartOptions,
): Promise<EncodedPart> {
  const container = await requireContainer(source.reader)
  const encoded = await runEncoder(sandbox, {
    ...{ plan, part, source, container, directory, signal, onProgress },
  })
  assertSucceeded('ffmpeg', encoded)
  for (const { name } of part.tracks) await mkdir(join(directory, name), { recursive: true })
  const packaged = await runPackager(sandbox, { plan, part, directory, signal, encryption })
  assertSucceeded('packager', packaged)
  const tracks = await collectTracks(plan, part, directory, encryption).catch(async (error: unknown) => {
    await assertDiskWorks(directory)
    throw error instanceof PartFailed ? withStderr(error, encoded, packaged) : error
  })
  return { tracks, cpuSeconds: (encoded.cpuSeconds ?? 0) + (packaged.cpuSeconds ?? 0) }
}

async function requireContainer(reader: BlockReader): Promise<Container> {
  const format = detectFormat(await reader.read({ start: 0, end: HEAD_BYTES }))
  if (format.kind === 'container') return format.container
  throw new PartFailed(`The source is not a video: ${format.kind}`)
}

/** Adds the stderr of ffmpeg and the packager to the error, because it may contain the cause. */
const withStderr = (error: PartFailed, ...runs: readonly Run[]) =>
  new PartFailed(error.message, runs.map(({ stderr }) => stderr).join('\n'), { cause: error.cause })

/** If encoding was aborted, the abort is reported instead of errors that it caused. */
function toPartError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) {
    return new PartInterrupted('aborted', 'Encoding the part was aborted', { cause: signal.reason })
  }
  if (error instanceof SourceUnreadable) {
    return new PartInterrupted('source-unreadable', error.message, { cause: error.cause ?? error })
  }
  if (isDiskError(error)) return diskInterruption(error)
  if (error instanceof ReadLimitExceeded) {
    return new PartFailed(`Too much of the source was read: ${error.message}`, '', { cause: error })
  }
  return error
}
