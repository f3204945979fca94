import { expect, it } from 'vitest'
import type { Asset } from '../assets.rules.ts'
import { type AssetOrder, databaseKey, isSortKeyIn, listOrderOf, type SortField, sortKeyIn } from './asset-order.ts'

const probed = {
  id: '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e',
  title: 'Part 10',
  durationSeconds: 1.0000001,
  bytes: 7,
  createdAt: '2026-11-15T09:30:00.000001Z',
  updatedAt: '2026-11-15T09:30:00.000002Z',
} as Asset
const unprobed = { ...probed, durationSeconds: null, bytes: null } as Asset

const fields: SortField[] = ['creation', 'title', 'update', 'duration', 'bytes']
const orders = fields.flatMap((field): AssetOrder[] => [
  { field, direction: 'asc' },
  { field, direction: 'desc' },
])
const created = { from: undefined, until: undefined }

it.each(orders)('a sort key of $field $direction is accepted in its own order and in no other', (order) => {
  for (const filter of [{}, { created }]) {
    const own = listOrderOf(order, filter)
    for (const asset of [probed, unprobed]) {
      const key = sortKeyIn(own)(asset)
      const accepting = orders.filter((other) => isSortKeyIn(listOrderOf(other, filter))(key))
      expect(accepting).toEqual([order])
      expect(databaseKey(own, key).at(-1)).toBe(asset.id)
    }
  }
})

it('a sort key with an invalid value is refused', () => {
  const isKeyOf = (field: SortField, value: string) => {
    const order = listOrderOf({ field, direction: 'asc' }, { created })
    return isSortKeyIn(order)([`${field} asc`, value, probed.id])
  }
  expect(isKeyOf('duration', '1.5')).toBe(true)
  expect(isKeyOf('duration', 'NaN')).toBe(false)
  expect(isKeyOf('duration', '')).toBe(false)
  expect(isKeyOf('bytes', '9223372036854775807')).toBe(true)
  expect(isKeyOf('bytes', '9223372036854775808')).toBe(false)
  expect(isKeyOf('bytes', '-1')).toBe(false)
  expect(isKeyOf('update', '2026-02-31T09:30:00.000000Z')).toBe(false)
  expect(isKeyOf('creation', 'now')).toBe(false)
})
