import type { SourceObject } from '@reelkeep/media'
import { type SpanAttributes, untraced } from '../../platform/observability/tracing.ts'
import type { Outputs, StoredOutputs } from './outputs.ts'

type Files = {
  readonly file: SourceObject
  readonly outputs: Outputs
  readonly stored: StoredOutputs
}

/**
 * Counts the files that an attempt reads from and writes to storage. A long video has thousands of them, so there
 * is no span per file: the span of the job has the totals.
 */
export function openTransferCounter() {
  const total = {
    source_reads: 0,
    files_read: 0,
    bytes_read: 0,
    files_written: 0,
    bytes_written: 0,
  }
  const count = ({ file, outputs, stored }: Files): Files => ({
    file: {
      ...file,
      read: (range, signal) => {
        total.source_reads += 1
        return untraced(() => file.read(range, signal))
      },
    },
    outputs: {
      ...outputs,
      put: async (name, body, type) => {
        await untraced(() => outputs.put(name, body, type))
        total.files_written += 1
        total.bytes_written += Buffer.byteLength(body)
      },
    },
    stored: {
      read: async (key, range) => {
        const bytes = await untraced(() => stored.read(key, range))
        total.files_read += 1
        total.bytes_read += bytes.byteLength
        return bytes
      },
    },
  })
  return { count, attributes: (): SpanAttributes => ({ ...total }) }
}
