import { expect, it } from 'vitest'
import { openPieces } from './media-files.ts'

it('files read and stored by an attempt are counted, failed ones are not', async () => {
  const pieces = openPieces()
  const { outputs, stored } = pieces.over({
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
  expect(pieces.attributes()).toEqual({
    ...{ source_reads: 0, pieces_read: 1, bytes_read: 7 },
    ...{ pieces_put: 2, bytes_put: 5 },
  })
})
