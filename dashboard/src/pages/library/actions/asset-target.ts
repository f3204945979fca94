import type { CreateBulkOperationBody } from 'reelkeep'

export type AssetFilter = NonNullable<CreateBulkOperationBody['filter']>

/** The part of an asset that actions and their undo need. */
export type TargetAsset = { readonly id: string; readonly parentId: string | null; readonly tags: readonly string[] }

/** The assets that an action changes: known ones, or all that match a filter. */
export type AssetTarget =
  | { readonly kind: 'listed'; readonly assets: readonly TargetAsset[] }
  | {
      readonly kind: 'matching'
      readonly filter: AssetFilter
      readonly exceptIds: readonly string[]
      /** Null if they are too many to count. */
      readonly count: number | null
    }

/** Above it, actions are not undone and ask first. The API takes as many ids per operation. */
export const LISTED_MAX = 1000

export const countOf = (target: AssetTarget) => (target.kind === 'listed' ? target.assets.length : target.count)

/** Assets grouped by the folder they were in, to move them back. */
export const byParent = (assets: readonly TargetAsset[]): ReadonlyMap<string | null, readonly TargetAsset[]> =>
  Map.groupBy(assets, ({ parentId }) => parentId)

const sameTag = (tag: string) => tag.toLocaleLowerCase()

/** The assets that do not have the tag, and would get it. */
export const withoutTag = (assets: readonly TargetAsset[], tag: string) =>
  assets.filter(({ tags }) => !tags.some((has) => sameTag(has) === sameTag(tag)))

/** Tags in a text with commas: trimmed, each once. */
export function tagsIn(text: string): readonly string[] {
  const tags = text.split(',').map((tag) => tag.trim())
  return tags.filter((tag, index) => tag !== '' && tags.findIndex((other) => sameTag(other) === sameTag(tag)) === index)
}

export function chunksOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

const plain = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLocaleLowerCase()

/** Whether the title contains the text, ignoring case and accents as the API does. */
export const contains = (title: string, text: string) => plain(title).includes(plain(text))
