import type { SourceObject } from '@reelkeep/media'
import { type SpanAttributes, untraced } from '../../platform/observability/tracing.ts'
import type { Outputs, StoredOutputs } from './outputs.ts'

type Ways = {
  readonly file: SourceObject
  readonly outputs: Outputs
  readonly stored: StoredOutputs
}

/**
 * Counts the files that an attempt reads from and writes to storage. A long video has thousands of them, so there
 * is no span per file: the span of the job has the totals.
 */
export function openPieces() {
  const moved = { source_reads: 0, pieces_read: 0, bytes_read: 0, pieces_put: 0, bytes_put: 0 }
  const over = ({ file, outputs, stored }: Ways): Ways => ({
    file: {
      ...file,
      read: (range, signal) => {
        moved.source_reads += 1
        return untraced(() => file.read(range, signal))
      },
    },
    outputs: {
      ...outputs,
      put: async (name, body, type) => {
        await untraced(() => outputs.put(name, body, type))
        moved.pieces_put += 1
        moved.bytes_put += Buffer.byteLength(body)
      },
    },
    stored: {
      read: async (key, range) => {
        const piece = await untraced(() => stored.read(key, range))
        moved.pieces_read += 1
        moved.bytes_read += piece.byteLength
        return piece
      },
    },
  })
  return { over, attributes: (): SpanAttributes => ({ ...moved }) }
}
