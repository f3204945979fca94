import type { ByteRange } from './source.ts'

/**
 * Parses a Range header. Undefined means the whole object. FFmpeg is the only client, so only a
 * single range with a start is supported.
 */
export function requestedRange(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '')
  if (!match) return undefined
  const start = Number(match[1])
  const end = match[2] ? Math.min(Number(match[2]) + 1, sizeBytes) : sizeBytes
  return start < end ? { start, end } : 'unsatisfiable'
}
