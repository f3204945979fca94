/**
 * Three-way merge of lists whose items have keys: what two editors made of the same state. Changes of different items,
 * and of different fields of the same item, are combined. What cannot be combined is a conflict.
 */
type Keyed = { readonly key: string }

export type FieldConflict<T> = {
  readonly key: string
  /** `changed`: both have changed the same field. `deleted`: one has changed the item and the other has deleted it. */
  readonly kind: 'changed' | 'deleted'
  readonly base?: T
  /** Undefined if this editor has deleted it. */
  readonly mine?: T
  /** Undefined if the other editor has deleted it. */
  readonly theirs?: T
}

type Lists<T> = { readonly base: readonly T[]; readonly mine: readonly T[]; readonly theirs: readonly T[] }

const byKey = <T extends Keyed>(items: readonly T[]) => new Map(items.map((item) => [item.key, item]))

/** `fields` are those that are merged, with the key. The items are not in order. */
export function mergeLists<T extends Keyed>({ base, mine, theirs }: Lists<T>, fields: readonly (keyof T & string)[]) {
  const lists = { base: byKey(base), mine: byKey(mine), theirs: byKey(theirs) }
  const keys = new Set([...lists.base.keys(), ...lists.mine.keys(), ...lists.theirs.keys()])
  const items: T[] = []
  const conflicts: FieldConflict<T>[] = []
  let theirChanges = 0
  for (const key of keys) {
    const [before, own, other] = [lists.base.get(key), lists.mine.get(key), lists.theirs.get(key)]
    if (before ? !other || !areEqual(before, other, fields) : other) theirChanges++
    const { item, conflict } = mergeOne({ key, base: before, mine: own, theirs: other }, fields)
    if (item) items.push(item)
    if (conflict) conflicts.push(conflict)
  }
  return { items, conflicts, theirChanges }
}

const areEqual = <T>(one: T, other: T, fields: readonly (keyof T)[]) =>
  fields.every((field) => one[field] === other[field])

type Versions<T> = {
  readonly key: string
  readonly base: T | undefined
  readonly mine: T | undefined
  readonly theirs: T | undefined
}

type Result<T> = { readonly item?: T; readonly conflict?: FieldConflict<T> }

function mergeOne<T extends Keyed>(versions: Versions<T>, fields: readonly (keyof T & string)[]): Result<T> {
  const { key, base, mine, theirs } = versions
  if (mine && theirs) return mergeFields({ key, base, mine, theirs }, fields)
  const kept = mine ?? theirs
  // One has deleted it, or has never had it.
  if (!kept) return {}
  if (!base) return { item: itemOf(key, kept, fields) }
  if (areEqual(kept, base, fields)) return {}
  const side = mine ? { mine: itemOf(key, mine, fields) } : theirs && { theirs: itemOf(key, theirs, fields) }
  return { conflict: { key, kind: 'deleted', base, ...side } }
}

const itemOf = <T extends Keyed>(key: string, values: T, fields: readonly (keyof T & string)[]): T =>
  Object.fromEntries([['key', key], ...fields.map((field) => [field, values[field]])]) as T

type BothVersions<T> = {
  readonly key: string
  readonly base: T | undefined
  readonly mine: T
  readonly theirs: T
}

function mergeFields<T extends Keyed>(
  { key, base, mine, theirs }: BothVersions<T>,
  fields: readonly (keyof T & string)[],
): Result<T> {
  const own: Record<string, unknown> = { key }
  const other: Record<string, unknown> = { key }
  let isConflict = false
  for (const field of fields) {
    const merged = mergeField(base?.[field], mine[field], theirs[field])
    own[field] = merged.mine
    other[field] = merged.theirs
    isConflict ||= merged.isConflict
  }
  if (!isConflict) return { item: own as T }
  return { conflict: { key, kind: 'changed', ...(base && { base }), mine: own as T, theirs: other as T } }
}

/** The value with and without the change of this editor. They are equal unless both have changed it differently. */
function mergeField<T>(base: T | undefined, mine: T, theirs: T) {
  if (mine === theirs || mine === base) return { mine: theirs, theirs, isConflict: false }
  if (theirs === base) return { mine, theirs: mine, isConflict: false }
  return { mine, theirs, isConflict: true }
}

/** Items without a match that are the only ones between two matched neighbors in both states. */
export function aloneBetween<Base extends Keyed, Saved>(
  base: readonly Base[],
  theirs: readonly Saved[],
  keys: ReadonlyMap<Saved, string>,
): readonly (readonly [Saved, Base])[] {
  const matched = new Set(keys.values())
  const before = gapsOf(base, ({ key }) => (matched.has(key) ? key : undefined))
  const now = gapsOf(theirs, (saved) => keys.get(saved))
  return [...now].flatMap(([gap, saved]) => {
    const [one, another] = before.get(gap) ?? []
    const [first, second] = saved
    return one && first && !another && !second ? [[first, one] as const] : []
  })
}

/** The items between each two that have a key. */
function gapsOf<T>(items: readonly T[], keyOf: (item: T) => string | undefined): Map<string, readonly T[]> {
  const gaps = new Map<string, readonly T[]>()
  let previous = ''
  let open: T[] = []
  for (const item of items) {
    const key = keyOf(item)
    if (key === undefined) {
      open.push(item)
      continue
    }
    gaps.set(`${previous} ${key}`, open)
    previous = key
    open = []
  }
  return gaps.set(`${previous} `, open)
}
