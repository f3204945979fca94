import type { SourceObject } from '@reelkeep/media'
import { type Facts, untraced } from '../../platform/observability/tracing.ts'
import type { Outputs, StoredOutputs } from './outputs.ts'

type Ways = {
  readonly file: SourceObject
  readonly outputs: Outputs
  readonly stored: StoredOutputs
}

/**
 * What an attempt moves from and to storage, counted. A long video is thousands of pieces, and a
 * trace with a span for each would be full of nothing else: the span of the job tells how many
 * there were.
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
  return { over, facts: (): Facts => ({ ...moved }) }
}
