import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { md5Of } from './md5.ts'

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 255)

describe('md5Of', () => {
  it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 1000, 1024 ** 2 - 1, 1024 ** 2, 1024 ** 2 + 1, 3 * 1024 ** 2 + 77])(
    'returns the same digest as Node for %i bytes',
    async (length) => {
      const bytes = bytesOf(length)
      expect(await md5Of(new Blob([bytes]))).toBe(createHash('md5').update(bytes).digest('hex'))
    },
  )

  it('stops when the signal is aborted', async () => {
    await expect(md5Of(new Blob([bytesOf(10)]), AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
  })
})
