import { uploadSessions as contract } from '@reelkeep/contract'
import { notNow, refused } from '../../kernel/errors.ts'

const MEBIBYTE = 1024 ** 2

/** Small enough to send again without regret, large enough for most films in a few hundred parts. */
const PART_BYTES = 16 * MEBIBYTE

/** How a file is cut: every part has `partBytes` but the last, which has what is left. */
export type PartPlan = {
  readonly fileBytes: number
  readonly partBytes: number
  readonly count: number
}

export type Part = { readonly number: number; readonly bytes: number }

/** The same for a file of the same size every time, so that an interrupted upload goes on where it was. */
export function planParts(fileBytes: number): PartPlan {
  const needed = Math.ceil(fileBytes / contract.PARTS_MAX / MEBIBYTE) * MEBIBYTE
  const partBytes = Math.max(PART_BYTES, needed)
  return { fileBytes, partBytes, count: Math.ceil(fileBytes / partBytes) }
}

export function partOf({ fileBytes, partBytes, count }: PartPlan, number: number): Part {
  if (number <= count)
    return { number, bytes: Math.min(partBytes, fileBytes - (number - 1) * partBytes) }
  throw refused(
    'part_out_of_range',
    `A file of ${fileBytes} bytes has ${count} parts; there is no part ${number}.`,
    'numbers',
  )
}

export function assertSameFile(fileBytes: number, wanted: number): void {
  if (fileBytes === wanted) return
  throw refused(
    'file_size_changed',
    `The parts of this session are those of a file of ${fileBytes} bytes. Go on with that file, or create another session.`,
    'file_size_bytes',
  )
}

export function assertFits(fileBytes: number, bytesMax: number): void {
  if (fileBytes <= bytesMax) return
  throw refused(
    'file_too_large',
    `This session takes at most ${bytesMax} bytes. Create one with file_size_bytes ${fileBytes}.`,
    'file_size_bytes',
  )
}

/** How many missing parts an error names; the list of parts tells the rest. */
const MISSING_NAMED_MAX = 10

/** Those that have not arrived, or not with their size. */
export function missingParts(plan: PartPlan, arrived: readonly Part[]): number[] {
  const bytesOf = new Map(arrived.map(({ number, bytes }) => [number, bytes]))
  const numbers = Array.from({ length: plan.count }, (_, index) => index + 1)
  return numbers.filter((number) => bytesOf.get(number) !== partOf(plan, number).bytes)
}

/** Joining what is there would make a file with a hole in it. */
export function assertAllArrived(plan: PartPlan, arrived: readonly Part[]): void {
  const missing = missingParts(plan, arrived)
  if (missing.length === 0) return
  const named = missing.slice(0, MISSING_NAMED_MAX).join(', ')
  const more = missing.length > MISSING_NAMED_MAX ? ' and more' : ''
  throw refused(
    'upload_not_arrived',
    `${missing.length} of ${plan.count} parts are missing: ${named}${more}. Send them, then ask again.`,
  )
}

/** By another request of the same caller, most likely one whose answer was lost. */
export const partsBeingJoined = () =>
  notNow('unavailable', 'Storage is joining the parts at the moment. Please repeat the request.', 2)
