import { expect, it } from 'vitest'
import { openTransferCounter } from './media-files.ts'

it('files that an attempt reads and stores are counted, except files that could not be stored', async () => {
  const counter = openTransferCounter()
  const { outputs, stored } = counter.count({
    file: { sizeBytes: 0 } as never,
    outputs: {
      prefix: 'a/',
      put: async (name) => {
        if (name === 'refused') throw new Error('refused')
      },
    },
    stored: { read: async () => Buffer.alloc(7) },
  })
  await outputs.put('one', 'é', 'text/plain')
  await outputs.put('two', new Uint8Array(3), 'video/mp4')
  await expect(outputs.put('refused', 'x', 'text/plain')).rejects.toThrow('refused')
  await stored.read('three')
  expect(counter.attributes()).toEqual({
    ...{ source_reads: 0, files_read: 1, bytes_read: 7 },
    ...{ files_written: 2, bytes_written: 5 },
  })
})
