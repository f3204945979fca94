import type { ByteRange } from './source.ts'

/**
 * What a Range header asks of an object of this size. Undefined: all of it. Unsatisfiable: there is
 * nothing there. The one that asks is FFmpeg, so only a single range from somewhere is understood.
 */
export function requestedRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '')
  if (!match) return undefined
  const start = Number(match[1])
  const end = match[2] ? Math.min(Number(match[2]) + 1, sizeBytes) : sizeBytes
  return start < end ? { start, end } : 'unsatisfiable'
}
