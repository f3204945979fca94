import { describe, expect, it } from 'vitest'
import type { AssetId } from '../../kernel/ids.ts'
import { assertRoomForOperation, assertWithinLimit, batchSizeOf, keptErrors } from './bulk-operations.rules.ts'

const errors = (count: number) =>
  Array.from({ length: count }, (_, number) => ({ assetId: `${number}` as AssetId, code: 'legal_hold', detail: 'x' }))

describe('an operation', () => {
  it('keeps its first 1,000 errors', () => {
    expect(keptErrors(errors(500), 0)).toHaveLength(500)
    expect(keptErrors(errors(500), 700)).toHaveLength(300)
    expect(keptErrors(errors(500), 1000)).toEqual([])
    expect(keptErrors(errors(500), 5000)).toEqual([])
  })

  it('has at most 500,000 assets', () => {
    expect(() => assertWithinLimit(500_000)).not.toThrow()
    expect(() => assertWithinLimit(500_001)).toThrow('more than 500,000 assets')
  })

  it('is refused beside 20 unfinished ones', () => {
    expect(() => assertRoomForOperation(19)).not.toThrow()
    expect(() => assertRoomForOperation(20)).toThrow('at most 20 unfinished')
  })

  it('retries fewer assets at once than it changes, because a retry needs several statements for each', () => {
    expect(batchSizeOf('retry')).toBeLessThan(batchSizeOf('move'))
  })

  it.each(['delete', 'purge'] as const)(
    '%s takes at most 100 assets at once, like the purge of the trash',
    (action) => {
      expect(batchSizeOf(action)).toBeLessThanOrEqual(100)
    },
  )
})
