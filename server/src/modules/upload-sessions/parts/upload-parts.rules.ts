import { uploadSessions as contract } from '@reelkeep/contract'
import { refused, retryLater } from '../../../kernel/errors.ts'

const MEBIBYTE = 1024 ** 2

/**
 * Usual size of a part: small enough to send again cheaply, and large enough that most films have a few hundred parts
 * at most.
 */
const PART_BYTES = 16 * MEBIBYTE

/** How a file is divided into parts. Every part has `partBytes` bytes except the last, which has the rest. */
export type PartPlan = {
  readonly fileBytes: number
  readonly partBytes: number
  readonly count: number
}

export type Part = { readonly number: number; readonly bytes: number }

/** The plan depends only on the file size, so that an interrupted upload can be resumed. */
export function planParts(fileBytes: number): PartPlan {
  const needed = Math.ceil(fileBytes / contract.PARTS_MAX / MEBIBYTE) * MEBIBYTE
  const partBytes = Math.max(PART_BYTES, needed)
  return { fileBytes, partBytes, count: Math.ceil(fileBytes / partBytes) }
}

export function partOf({ fileBytes, partBytes, count }: PartPlan, number: number): Part {
  if (number <= count) return { number, bytes: Math.min(partBytes, fileBytes - (number - 1) * partBytes) }
  throw refused(
    'part_out_of_range',
    `Part ${number} does not exist: a file of ${fileBytes} bytes has ${count} ${count === 1 ? 'part' : 'parts'}.`,
    'numbers',
  )
}

export function assertSameFile(fileBytes: number, requested: number): void {
  if (fileBytes === requested) return
  throw refused(
    'file_size_changed',
    `This session's parts belong to a file of ${fileBytes} bytes. Continue with that file or create another session.`,
    'file_size_bytes',
  )
}

export function assertFits(fileBytes: number, bytesMax: number): void {
  if (fileBytes <= bytesMax) return
  throw refused(
    'file_too_large',
    `This session accepts at most ${bytesMax} bytes. Create another session with file_size_bytes ${fileBytes}.`,
    'file_size_bytes',
  )
}

/** How many missing parts an error message lists. */
const MISSING_NAMED_MAX = 10

/** Parts that have not arrived or have the wrong size. */
export function missingParts(plan: PartPlan, arrived: readonly Part[]): number[] {
  const bytesOf = new Map(arrived.map(({ number, bytes }) => [number, bytes]))
  const numbers = Array.from({ length: plan.count }, (_, index) => index + 1)
  return numbers.filter((number) => bytesOf.get(number) !== partOf(plan, number).bytes)
}

/** Throws if parts are missing: joining the others would corrupt the file. */
export function assertAllArrived(plan: PartPlan, arrived: readonly Part[]): void {
  const missing = missingParts(plan, arrived)
  if (missing.length === 0) return
  const named = missing.slice(0, MISSING_NAMED_MAX).join(', ')
  const more = missing.length > MISSING_NAMED_MAX ? ' and more' : ''
  throw refused(
    'upload_not_arrived',
    `${missing.length} of ${plan.count} parts ${missing.length === 1 ? 'is' : 'are'} missing: ${named}${more}. Send them, then repeat the request.`,
  )
}

/** Another request is joining the parts, most likely an earlier one whose response was lost. */
export const partsBeingJoined = () =>
  retryLater('unavailable', 'Storage is joining the parts. Repeat the request in 2 seconds.', 2)
