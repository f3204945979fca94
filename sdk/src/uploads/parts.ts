/** A file in parts: several at a time, each again if it fails, and after a break only what is missing. */
import type { SignedParts } from '../generated/contract.ts'
import { ServerError, unexpected } from '../http/errors.ts'
import { said } from '../http/said.ts'
import type { Range, Source } from '../platform/transfer.ts'
import { FileChangedError, toStorageError } from './errors.ts'
import type { Upload } from './upload.ts'

const PARTS_AT_ONCE = 4
/** More of them only wait for each other, and each holds buffers. */
const PARTS_AT_ONCE_MAX = 64

/** How the file is cut, and what of it has arrived. */
type Plan = {
  readonly partBytes: number
  readonly count: number
  /** Of the first part, if it was signed to learn how the file is cut. */
  readonly firstUrl: string | undefined
  readonly arrived: readonly {
    readonly number: number
    readonly bytes: number
    readonly etag: string
  }[]
}

/** What is known of the session's parts before they are asked for: that there are none, or whose they are. */
export type Beginning = 'fresh' | 'by this file' | 'by some file'

/** Sends what is missing. */
export async function sendParts(upload: Upload, beginning: Beginning): Promise<void> {
  const plan = await readPlan(upload, beginning)
  const there = plan.arrived.filter(({ number, bytes }) => bytes === sizeOf(upload, plan, number))
  for (const part of there) {
    if (beginning === 'by some file') await assertSame(upload, plan, part)
    upload.progress.reachInPart(part.number, part.bytes)
  }
  const numbers = new Set(there.map(({ number }) => number))
  const missing = Array.from({ length: plan.count }, (_, index) => index + 1).filter(
    (number) => !numbers.has(number),
  )
  await inTurns(missing, upload, (number) => sendPart(upload, plan, number))
}

async function readPlan({ calls, source }: Upload, beginning: Beginning): Promise<Plan> {
  const received = beginning === 'fresh' ? undefined : await calls.arrived()
  if (!received) {
    const signed = await calls.sign([1])
    const { part_size_bytes: partBytes, part_count: count } = signed
    return { partBytes, count, firstUrl: addressIn(signed), arrived: [] }
  }
  if (received.file_size_bytes !== source.bytes)
    throw new FileChangedError(
      `The session is for a file of ${received.file_size_bytes} bytes; ${nameOf(source)} has ${source.bytes}. Go on with that file, or upload this one anew.`,
    )
  const { part_size_bytes, part_count, parts } = received
  return { partBytes: part_size_bytes, count: part_count, firstUrl: undefined, arrived: parts }
}

const nameOf = ({ name }: Source) => name || 'this one'

function rangeOf({ source }: Upload, { partBytes }: Plan, number: number): Range {
  const begin = (number - 1) * partBytes
  return { begin, end: Math.min(begin + partBytes, source.bytes) }
}

function sizeOf(upload: Upload, plan: Plan, number: number): number {
  const { begin, end } = rangeOf(upload, plan, number)
  return end - begin
}

/** What storage calls a part by is its MD5, unless it encrypts parts in a way of its own. */
const md5Form = /^[0-9a-f]{32}$/

/** Half of one file and half of another would make a video that nobody has made. */
async function assertSame(upload: Upload, plan: Plan, { number, etag }: Plan['arrived'][number]) {
  const { source, signal } = upload
  const digest = md5Form.test(etag)
    ? await source.md5(rangeOf(upload, plan, number), signal)
    : undefined
  if (digest === undefined || digest === etag) return
  throw new FileChangedError(
    `${nameOf(source)} is another file than the one that this session began with: part ${number} of it differs from what has arrived. Go on with that file, or upload this one anew.`,
  )
}

/** Signed right before it is sent, so that its address is never too old. */
async function sendPart(upload: Upload, plan: Plan, number: number): Promise<void> {
  const { calls, source, progress, signal, idleSeconds, storageLine } = upload
  const range = rangeOf(upload, plan, number)
  await storageLine.through(async (repeats) => {
    if (repeats > 0 && (await hasArrived(upload, plan, number))) return
    await source.assertUnchanged()
    const firstUrl = repeats === 0 && number === 1 ? plan.firstUrl : undefined
    const url = firstUrl ?? addressIn(await calls.sign([number]))
    const answer = await source.put(url, range, {
      // Bytes that went out before prove nothing: a line may break at the same place for ever.
      onSent: (bytes) => {
        if (progress.reachInPart(number, bytes)) storageLine.alive()
      },
      signal,
      idleSeconds,
    })
    if (answer.status >= 300) throw toStorageError(answer)
  })
  progress.reachInPart(number, range.end - range.begin)
}

/** In a page, an address that is empty is the page itself. */
function addressIn({ parts: [part] }: SignedParts): string {
  if (part?.url) return part.url
  throw new ServerError(unexpected({ status: 200, statusText: '', url: 'The signing of a part' }))
}

/** Perhaps all of it got through, and only the answer did not. */
async function hasArrived(upload: Upload, plan: Plan, number: number): Promise<boolean> {
  const received = await upload.calls.arrived()
  const part = received?.parts.find((each) => each.number === number)
  return part?.bytes === sizeOf(upload, plan, number)
}

/** The first that fails stops the others, and is what is told once they have stopped. */
async function inTurns(
  numbers: readonly number[],
  { partsAtOnce, stop }: Upload,
  work: (number: number) => Promise<void>,
): Promise<void> {
  const turns = numbers.values()
  const worker = async () => {
    for (const number of turns) await work(number)
  }
  const workers = Array.from({ length: workersFor(numbers.length, partsAtOnce) }, worker)
  try {
    await Promise.all(workers)
  } catch (error) {
    stop(error)
    await Promise.allSettled(workers)
    throw error
  }
}

/** `Infinity` means as many as are of use. */
function workersFor(parts: number, partsAtOnce: number | undefined): number {
  const wanted = Math.max(1, Math.trunc(said(partsAtOnce) ?? PARTS_AT_ONCE))
  return Math.min(parts, wanted, PARTS_AT_ONCE_MAX)
}
