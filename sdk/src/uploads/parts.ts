/** Uploads a file in parts: several in parallel, with retries, and after an interruption only the missing ones. */
import type { SignedParts } from '../generated/contract.ts'
import { ServerError, unexpectedResponse } from '../http/errors.ts'
import { firstNumber } from '../http/first-number.ts'
import type { Range, Source } from '../platform/transfer.ts'
import { FileChangedError, toStorageError } from './errors.ts'
import type { Upload } from './upload.ts'

const PARTS_AT_ONCE = 4
/** Maximum number of parallel parts. More parts would only compete for bandwidth, and each part uses buffers. */
const PARTS_AT_ONCE_MAX = 64

/** How the file is split, and which parts have been received. */
type Plan = {
  readonly partBytes: number
  readonly count: number
  /** URL of the first part, if it was signed to find out how the file is split. */
  readonly firstUrl: string | undefined
  readonly arrived: readonly {
    readonly number: number
    readonly bytes: number
    readonly etag: string
  }[]
}

/** Whether the session already has parts, and of which file. */
export type ExistingParts = 'none' | 'from this file' | 'from unknown file'

/** Sends the missing parts. */
export async function sendParts(upload: Upload, existingParts: ExistingParts): Promise<void> {
  const plan = await readPlan(upload, existingParts)
  const there = plan.arrived.filter(({ number, bytes }) => bytes === sizeOf(upload, plan, number))
  for (const part of there) {
    if (existingParts === 'from unknown file') await assertSameFile(upload, plan, part)
    upload.progress.reachInPart(part.number, part.bytes)
  }
  const numbers = new Set(there.map(({ number }) => number))
  const missing = Array.from({ length: plan.count }, (_, index) => index + 1).filter((number) => !numbers.has(number))
  await forEachConcurrently(missing, upload, (number) => sendPart(upload, plan, number))
}

async function readPlan({ calls, source }: Upload, existingParts: ExistingParts): Promise<Plan> {
  const received = existingParts === 'none' ? undefined : await calls.receivedParts()
  if (!received) {
    const signed = await calls.sign([1])
    const { part_size_bytes: partBytes, part_count: count } = signed
    return { partBytes, count, firstUrl: urlIn(signed), arrived: [] }
  }
  if (received.file_size_bytes !== source.bytes)
    throw new FileChangedError(
      `The session is for a file of ${received.file_size_bytes} bytes, but ${nameOf(source)} has ${source.bytes}. Resume with the original file, or start a new upload.`,
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

/** The ETag of a part is its MD5, unless storage encrypts parts. */
const md5Pattern = /^[0-9a-f]{32}$/

/** Throws if a received part is from another file, so that parts of two files are never mixed. */
async function assertSameFile(upload: Upload, plan: Plan, { number, etag }: Plan['arrived'][number]) {
  const { source, signal } = upload
  if (!md5Pattern.test(etag) || (await source.md5(rangeOf(upload, plan, number), signal)) === etag) return
  throw new FileChangedError(
    `${nameOf(source)} is not the file with which this session started: part ${number} differs. Resume with the original file, or start a new upload.`,
  )
}

/** Signs the URL right before sending, so that it has not expired. */
async function sendPart(upload: Upload, plan: Plan, number: number): Promise<void> {
  const { calls, source, progress, signal, idleSeconds, storageRetrier } = upload
  const range = rangeOf(upload, plan, number)
  await storageRetrier.run(async (retries) => {
    if (retries > 0 && (await hasArrived(upload, plan, number))) return
    await source.assertUnchanged()
    const firstUrl = retries === 0 && number === 1 ? plan.firstUrl : undefined
    const url = firstUrl ?? urlIn(await calls.sign([number]))
    const response = await source.put(url, range, {
      // Only new bytes count as progress: a connection may keep breaking at the same position.
      onSent: (bytes) => {
        if (progress.reachInPart(number, bytes)) storageRetrier.progressed()
      },
      signal,
      idleSeconds,
    })
    if (response.status >= 300) throw toStorageError(response)
  })
  progress.reachInPart(number, range.end - range.begin)
}

/** Returns the URL of the signed part. Throws if it is empty, because a web page would then send the part to itself. */
function urlIn({ parts: [part] }: SignedParts): string {
  if (part?.url) return part.url
  throw new ServerError(unexpectedResponse({ status: 200, statusText: '', url: 'The signing of a part' }))
}

/** Checks whether the part has arrived although the response was lost. */
async function hasArrived(upload: Upload, plan: Plan, number: number): Promise<boolean> {
  const received = await upload.calls.receivedParts()
  const part = received?.parts.find((each) => each.number === number)
  return part?.bytes === sizeOf(upload, plan, number)
}

/** Stops all workers at the first error, and throws it when they have stopped. */
async function forEachConcurrently(
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

/** Returns the number of parts to send in parallel; `Infinity` means the maximum. */
function workersFor(parts: number, partsAtOnce: number | undefined): number {
  const wanted = Math.max(1, Math.trunc(firstNumber(partsAtOnce) ?? PARTS_AT_ONCE))
  return Math.min(parts, wanted, PARTS_AT_ONCE_MAX)
}
