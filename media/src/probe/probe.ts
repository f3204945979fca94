/**
 * Probes an uploaded file: checks its first bytes and for truncation, reads the header with
 * ffprobe, decodes one frame with ffmpeg, and reads the end of the file if the header has no
 * duration. Each step may throw `UnusableMedia`; `ProbeInterrupted` means that there is no result.
 */
import type { ExitStatus } from '../sandbox/exit-status.ts'
import { ffmpeg, ffprobe, type Run, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { BlockReader, ReadCosts } from '../source/block-reader.ts'
import { type OpenedSource, withSource } from '../source/opened-source.ts'
import { ReadLimitExceeded, type Source, SourceUnreadable } from '../source/source.ts'
import { declaredEnd } from './container/completeness.ts'
import type { Container } from './container/container.ts'
import { detectFormat, HEAD_BYTES } from './container/detect-format.ts'
import { requireDuration } from './container/duration.ts'
import { type Probe, readHeaderFacts } from './facts/probe-facts.ts'
import { decodeArguments, decodedFrames, ffprobeArguments } from './ffprobe-arguments.ts'
import { readFfprobeDocument } from './ffprobe-document.ts'
import {
  checkHeader,
  checkProbe,
  codecNotSupported,
  damaged,
  interpretExitStatus,
  refusedDecoder,
  tooCostly,
  truncated,
  unreadableError,
  unsupportedFileError,
} from './probe-checks.ts'
import { BYTES_READ_MAX, probeLimits } from './probe-limits.ts'
import { ProbeInterrupted } from './unusable-media.ts'

export type ProbeOptions = {
  readonly signal: AbortSignal
  /** Called once with the costs at the end of the probe, also after a failure. */
  readonly onCosts?: (costs: ReadCosts) => void
}

type ProbeContext = {
  readonly sandbox: Sandbox
  readonly source: OpenedSource
  readonly signal: AbortSignal
}

/** @throws UnusableMedia if the file is the cause, ProbeInterrupted if a retry may succeed. */
export async function probe(sandbox: Sandbox, source: Source, options: ProbeOptions): Promise<Probe> {
  const sourceOptions = { mode: sandbox.mode, bytesMax: BYTES_READ_MAX, signal: options.signal }
  const result = withSource(source, sourceOptions, (opened, signal) =>
    runProbe({ sandbox, source: opened, signal }).finally(() => options.onCosts?.(opened.reader.costs)),
  )
  return result.catch((error: unknown) => {
    throw toProbeError(error, options.signal)
  })
}

async function runProbe(context: ProbeContext): Promise<Probe> {
  const { reader } = context.source
  const format = detectFormat(await reader.read({ start: 0, end: HEAD_BYTES }))
  if (format.kind !== 'container') throw unsupportedFileError(format)
  await assertNotTruncated(reader, format.container)
  const { header, stderr } = await readHeader(context, format.container)
  const video = checkHeader(header, stderr)
  await assertDecodes(context, format.container, video)
  const { container, audio, subtitles, chapters } = header
  return checkProbe({
    ...{ container, bytes: reader.sizeBytes },
    durationSeconds: await requireDuration(reader, header, stderr),
    ...{ video, audio, subtitles, chapters },
  })
}

/**
 * FFmpeg does not detect truncation: for a file with its header at the beginning, it reports the duration in
 * the header.
 */
async function assertNotTruncated(reader: BlockReader, container: Container) {
  const end = await declaredEnd(reader, container)
  if (end !== undefined && end > reader.sizeBytes) throw truncated(end, reader.sizeBytes)
}

async function readHeader(context: ProbeContext, container: Container) {
  const run = await runOnSource(context, ffprobe, ffprobeArguments(context.source, container))
  assertEnded(run, container)
  const document = readFfprobeDocument(run.stdout.toString('utf8'))
  if (!hasSucceeded(run) || !document) throw unreadableError(run.stderr, container)
  return { header: readHeaderFacts(document, container), stderr: run.stderr }
}

/**
 * A valid header does not mean that the video can be decoded. The number of decoded frames shows whether it can;
 * ffmpeg's exit code does not.
 */
async function assertDecodes(
  context: ProbeContext,
  container: Container,
  video: { streamIndex: number; codec: string },
) {
  const run = await runOnSource(context, ffmpeg, decodeArguments(context.source, container, video.streamIndex))
  assertEnded(run, container)
  if (decodedFrames(run.stdout.toString('latin1')) > 0) return
  const refused = refusedDecoder(run.stderr)
  if (refused) throw codecNotSupported(refused)
  throw damaged('No frame of the video could be decoded.')
}

const hasSucceeded = ({ exitStatus }: Run) => exitStatus.kind === 'exited' && exitStatus.code === 0

async function runOnSource(context: ProbeContext, program: string, args: readonly string[]): Promise<Run> {
  const { input } = context.source
  const run = await runInSandbox(
    context.sandbox,
    { program, arguments: args, input, limits: probeLimits },
    context.signal,
  )
  assertSourceNotSlow(context, run.exitStatus)
  return run
}

/** If at least this share of the time limit was spent waiting for storage, the file is not the cause of a timeout. */
const WAITING_SHARE_MAX = 0.5

function assertSourceNotSlow({ source }: ProbeContext, exitStatus: ExitStatus): void {
  if (exitStatus.kind !== 'limit' || exitStatus.limit !== 'time') return
  const { waitedSeconds } = source.reader.costs
  if (waitedSeconds < probeLimits.wallSeconds * WAITING_SHARE_MAX) return
  throw new SourceUnreadable(`Waited ${Math.round(waitedSeconds)} seconds for the source`)
}

function assertEnded(run: Run, container: Container): void {
  const reason = interpretExitStatus(run, container)
  if (reason) throw reason
}

/** If the probe was aborted, the abort is reported instead of errors that it caused. */
function toProbeError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new ProbeInterrupted('aborted', 'The probe was aborted', { cause: signal.reason })
  if (error instanceof ReadLimitExceeded) {
    return tooCostly(`requires reading more than ${BYTES_READ_MAX / 2 ** 20} MiB of it`)
  }
  if (error instanceof SourceUnreadable) {
    return new ProbeInterrupted('source-unreadable', error.message, { cause: error.cause ?? error })
  }
  return error
}
