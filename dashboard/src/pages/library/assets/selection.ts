/** The selected videos: those in `ids`, or with `isAll` all that match the list except those in `ids`. */
export type Selection = { readonly isAll: boolean; readonly ids: ReadonlySet<string> }

export const nothing: Selection = { isAll: false, ids: new Set() }
export const everything: Selection = { isAll: true, ids: new Set() }

export const isSelected = ({ isAll, ids }: Selection, id: string) => ids.has(id) !== isAll

export const isEmpty = ({ isAll, ids }: Selection) => !isAll && ids.size === 0

export const only = (id: string): Selection => ({ isAll: false, ids: new Set([id]) })

export function toggled({ isAll, ids }: Selection, id: string): Selection {
  const changed = new Set(ids)
  if (!changed.delete(id)) changed.add(id)
  return { isAll, ids: changed }
}

/** Adds the videos from one place to another, in either direction. */
export function withRange(selection: Selection, ids: readonly string[], from: number, to: number): Selection {
  const range = ids.slice(Math.min(from, to), Math.max(from, to) + 1)
  if (!selection.isAll) return { isAll: false, ids: new Set([...selection.ids, ...range]) }
  const inRange = new Set(range)
  return { isAll: true, ids: new Set([...selection.ids].filter((id) => !inRange.has(id))) }
}

/** Number of selected videos of `count`; null if `count` is not known. */
export function selectedCount({ isAll, ids }: Selection, count: number | null): number | null {
  if (!isAll) return ids.size
  return count === null ? null : Math.max(0, count - ids.size)
}
