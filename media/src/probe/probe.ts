/**
 * How an uploaded file is looked into: its first bytes and whether all of it is there by ourselves,
 * its header by ffprobe, one picture by ffmpeg, its end if the header does not say how long it is.
 * Every step may end it with a verdict; what is no verdict is `ProbeInterrupted`.
 */
import type { Ending } from '../sandbox/ending.ts'
import { ffmpeg, ffprobe, type Run, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { BlockReader, ReadCosts } from '../source/block-reader.ts'
import { type OpenedSource, withSource } from '../source/opened-source.ts'
import { ReadBudgetSpent, type Source, SourceUnreadable } from '../source/source.ts'
import { declaredEnd } from './completeness.ts'
import type { Container } from './container.ts'
import { requireDuration } from './duration.ts'
import { decodeArguments, decodedFrames, ffprobeArguments } from './ffprobe-arguments.ts'
import { readFfprobeDocument } from './ffprobe-document.ts'
import {
  codecNotSupported,
  cutOff,
  damaged,
  judgeEnding,
  judgeHeader,
  judgeMistake,
  judgeProbe,
  judgeUnread,
  refusedDecoder,
  tooCostly,
} from './judge.ts'
import { type Probe, readHeaderFacts } from './probe-facts.ts'
import { BYTES_READ_MAX, probeLimits } from './probe-limits.ts'
import { HEAD_BYTES, recognise } from './recognise.ts'
import { ProbeInterrupted } from './unusable-media.ts'

export type ProbeOptions = {
  readonly signal: AbortSignal
  /** Told at the end, however it ends. */
  readonly onCosts?: (costs: ReadCosts) => void
}

/** Everything that one probe carries along. */
type Look = {
  readonly sandbox: Sandbox
  readonly source: OpenedSource
  readonly signal: AbortSignal
}

/** @throws UnusableMedia when the file is at fault, ProbeInterrupted when it may go better another time. */
export async function probe(
  sandbox: Sandbox,
  source: Source,
  options: ProbeOptions,
): Promise<Probe> {
  const reading = { mode: sandbox.mode, bytesMax: BYTES_READ_MAX, signal: options.signal }
  const looked = withSource(source, reading, (opened, signal) =>
    look({ sandbox, source: opened, signal }).finally(() => options.onCosts?.(opened.reader.costs)),
  )
  return looked.catch((error: unknown) => {
    throw explained(error, options.signal)
  })
}

async function look(at: Look): Promise<Probe> {
  const { reader } = at.source
  const recognised = recognise(await reader.read({ start: 0, end: HEAD_BYTES }))
  if (recognised.kind !== 'container') throw judgeMistake(recognised)
  await assertWhole(reader, recognised.container)
  const { header, stderr } = await readHeader(at, recognised.container)
  const video = judgeHeader(header, stderr)
  await assertDecodes(at, recognised.container, video)
  const { container, audio, subtitles, chapters } = header
  return judgeProbe({
    ...{ container, bytes: reader.sizeBytes },
    durationSeconds: await requireDuration(reader, header, stderr),
    ...{ video, audio, subtitles, chapters },
  })
}

/**
 * FFmpeg would not say: to it, a file whose header stands first is as long as the header tells,
 * however little follows.
 */
async function assertWhole(reader: BlockReader, container: Container) {
  const end = await declaredEnd(reader, container)
  if (end !== undefined && end > reader.sizeBytes) throw cutOff(end, reader.sizeBytes)
}

async function readHeader(at: Look, container: Container) {
  const run = await runOnSource(at, ffprobe, ffprobeArguments(at.source, container))
  assertEnded(run, container)
  const document = readFfprobeDocument(run.stdout.toString('utf8'))
  if (!isDone(run) || !document) throw judgeUnread(run.stderr, container)
  return { header: readHeaderFacts(document, container), stderr: run.stderr }
}

/** A header may promise what nobody can decode; ffmpeg's exit code does not tell, the pictures that come out do. */
async function assertDecodes(
  at: Look,
  container: Container,
  video: { streamIndex: number; codec: string },
) {
  const run = await runOnSource(
    at,
    ffmpeg,
    decodeArguments(at.source, container, video.streamIndex),
  )
  assertEnded(run, container)
  if (decodedFrames(run.stdout.toString('latin1')) > 0) return
  const refused = refusedDecoder(run.stderr)
  if (refused) throw codecNotSupported(refused)
  throw damaged('Not one picture of the video could be decoded.')
}

const isDone = ({ ending }: Run) => ending.kind === 'exited' && ending.code === 0

async function runOnSource(at: Look, program: string, given: readonly string[]): Promise<Run> {
  const { input } = at.source
  const run = await runInSandbox(
    at.sandbox,
    { program, arguments: given, input, limits: probeLimits },
    at.signal,
  )
  assertSourceWasQuick(at, run.ending)
  return run
}

/** Time that went by in waiting for storage is not the file's fault. */
const WAITING_SHARE_MAX = 0.5

function assertSourceWasQuick({ source }: Look, ending: Ending): void {
  if (ending.kind !== 'limit' || ending.limit !== 'time') return
  const { waitedSeconds } = source.reader.costs
  if (waitedSeconds < probeLimits.wallSeconds * WAITING_SHARE_MAX) return
  throw new SourceUnreadable(`The source was waited for for ${Math.round(waitedSeconds)} seconds`)
}

function assertEnded(run: Run, container: Container): void {
  const reason = judgeEnding(run, container)
  if (reason) throw reason
}

/** The caller's wish comes first: what breaks after it is a consequence. */
function explained(error: unknown, wish: AbortSignal): unknown {
  if (wish.aborted)
    return new ProbeInterrupted('aborted', 'The probe was called off', { cause: wish.reason })
  if (error instanceof ReadBudgetSpent) {
    return tooCostly(`needs more than ${BYTES_READ_MAX / 2 ** 20} MiB of it to be read`)
  }
  if (error instanceof SourceUnreadable) {
    return new ProbeInterrupted('source-unreadable', error.message, { cause: error.cause ?? error })
  }
  return error
}
