/** Orders of asset lists, and the sort keys in their cursors. */
import { toUtc } from '../../../kernel/time.ts'
import { isUuidKey, type SortKey } from '../../../platform/db/paging/keyset.ts'
import type { Asset } from '../assets.rules.ts'
import type { AssetFilter } from './asset-filter.rules.ts'

export type SortField = 'creation' | 'title' | 'update' | 'duration' | 'bytes'
export type AssetOrder = { readonly field: SortField; readonly direction: 'asc' | 'desc' }

export const newestFirst: AssetOrder = { field: 'creation', direction: 'desc' }

/**
 * How a list is sorted. Ids are UUIDv7, so the order of ids is the order of creation, and many indexes end with the id.
 * A list that is filtered by the time of creation is sorted by this time and then by id, because one index serves both.
 */
export type ListOrder = {
  readonly by: SortField | 'id'
  readonly direction: 'asc' | 'desc'
  /** Whether the list can contain assets without a duration. */
  readonly hasNulls: boolean
}

export function listOrderOf({ field, direction }: AssetOrder, { created, duration }: Partial<AssetFilter>): ListOrder {
  const by = field === 'creation' && created === undefined ? 'id' : field
  return { by, direction, hasNulls: duration === undefined }
}

/** Sort values of assets without a duration or size: last in both directions. */
export const LAST = {
  duration: { asc: 'Infinity', desc: '0' },
  bytes: { asc: '9223372036854775807', desc: '0' },
} as const

const sortValueOf: Record<SortField, (asset: Asset, direction: ListOrder['direction']) => string> = {
  creation: ({ createdAt }) => createdAt,
  title: ({ title }) => title,
  update: ({ updatedAt }) => updatedAt,
  duration: ({ durationSeconds }, direction) => String(durationSeconds ?? LAST.duration[direction]),
  bytes: ({ bytes }, direction) => String(bytes ?? LAST.bytes[direction]),
}

const isTime = (text: string) => toUtc(text) === text

const isValue: Record<SortField, (text: string) => boolean> = {
  creation: isTime,
  title: () => true,
  update: isTime,
  duration: (text) => text === LAST.duration.asc || /^\d{1,12}(\.\d{1,20})?(e-\d{1,2})?$/.test(text),
  bytes: (text) => /^\d{1,19}$/.test(text) && BigInt(text) <= BigInt(LAST.bytes.asc),
}

/** Name of the order in cursors, so that a cursor of another order is refused. The default order has none. */
const nameOf = ({ by, direction }: ListOrder) => `${by} ${direction}`
const isDefault = ({ by, direction }: ListOrder) => by === 'id' && direction === 'desc'

/** The key of an asset in cursors: the name of the order, then the key in the database. */
export const sortKeyIn =
  (order: ListOrder) =>
  (asset: Asset): SortKey => {
    if (isDefault(order)) return [asset.id]
    return order.by === 'id'
      ? [nameOf(order), asset.id]
      : [nameOf(order), sortValueOf[order.by](asset, order.direction), asset.id]
  }

/** Whether the key can be in a cursor of this order. */
export const isSortKeyIn =
  (order: ListOrder) =>
  (key: SortKey): boolean => {
    if (isDefault(order)) return isUuidKey(key)
    const [name, ...rest] = key
    const id = rest.at(-1)
    if (name !== nameOf(order) || id === undefined || !isUuidKey([id])) return false
    if (order.by === 'id') return rest.length === 1
    const [value] = rest
    return rest.length === 2 && value !== undefined && isValue[order.by](value)
  }

/** The key in the database of a key in a cursor. */
export const databaseKey = (order: ListOrder, key: SortKey): SortKey =>
  isDefault(order) || key.length === 0 ? key : key.slice(1)
