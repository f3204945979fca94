import { TAGS_MAX } from '@reelkeep/contract'
import { DomainError, refused } from '../../../kernel/errors.ts'
import type { AssetId, FolderUuid } from '../../../kernel/ids.ts'
import type { MetadataChange } from '../../../kernel/metadata.ts'
import { assetNotFound } from '../assets.rules.ts'
import type { AssetChange, EditableAsset } from '../changes/asset-changes.rules.ts'
import { cleanTags, tagKeyOf } from '../changes/asset-tags.rules.ts'

/** A change of many assets. */
export type AssetEdit =
  /** `folder` is a folder's uuid, or null for the root. */
  | { readonly kind: 'move'; readonly folder: string | null }
  | { readonly kind: 'add_tags' | 'remove_tags'; readonly tags: readonly string[] }
  | { readonly kind: 'set_metadata'; readonly metadata: MetadataChange }

/** Why one asset of a batch was not changed. */
export type ItemError = { readonly assetId: AssetId; readonly code: string; readonly detail: string }

/** The change of one asset. Throws if it would have too many tags. */
export function changeOf(edit: AssetEdit, { tags }: Pick<EditableAsset, 'tags'>): AssetChange {
  switch (edit.kind) {
    case 'move':
      return {}
    case 'add_tags':
      return { tags: withinLimit(cleanTags([...tags, ...edit.tags])) }
    case 'remove_tags': {
      const removed = tagKeysOf(edit.tags)
      return { tags: tags.filter((tag) => !removed.includes(tagKeyOf(tag))) }
    }
    case 'set_metadata':
      return { metadata: edit.metadata }
  }
}

export const tagKeysOf = (tags: readonly string[]) => cleanTags(tags).map(tagKeyOf)

function withinLimit(tags: readonly string[]): readonly string[] {
  if (tags.length <= TAGS_MAX) return tags
  const detail = `The asset would have ${tags.length} tags; at most ${TAGS_MAX} are allowed. Remove some first.`
  throw refused('invalid_request', detail, 'tags')
}

/** The nearest folder with a legal hold, for folders with one. */
export type Holds = ReadonlyMap<FolderUuid | null, FolderUuid>

type HeldAsset = { readonly folderUuid: FolderUuid | null; readonly legalHold: boolean }

/** Throws what the triggers of the database would, so that one asset does not stop the others. */
export function assertDeletable({ folderUuid, legalHold }: HeldAsset, holds: Holds): void {
  if (legalHold) throw onHold('The asset')
  const held = holds.get(folderUuid)
  if (held !== undefined) throw onHold(`Folder ${held}`)
}

export function assertMovable({ folderUuid }: HeldAsset, target: FolderUuid | null, holds: Holds): void {
  const held = holds.get(folderUuid)
  if (held !== undefined && target !== folderUuid && !holds.has(target)) throw onHold(`Folder ${held}`)
}

const onHold = (resource: string) => refused('legal_hold', `${resource} is under legal hold. Lift the hold first.`)

/** Runs `change` for each asset, and separates the assets for which it throws a domain error. */
export function separateErrors<Item extends { readonly id: AssetId }, Result>(
  items: readonly Item[],
  change: (item: Item) => Result,
): { readonly changes: readonly Result[]; readonly errors: readonly ItemError[] } {
  const changes: Result[] = []
  const errors: ItemError[] = []
  for (const item of items) {
    try {
      changes.push(change(item))
    } catch (error) {
      errors.push(itemError(item.id, error))
    }
  }
  return { changes, errors }
}

/** Throws the error again if it is not a domain error. */
export function itemError(assetId: AssetId, error: unknown): ItemError {
  if (!(error instanceof DomainError)) throw error
  return { assetId, code: error.code, detail: error.message }
}

/** Errors for the ids of which no asset was found. */
export function notFoundErrors(ids: readonly AssetId[], found: readonly { readonly id: AssetId }[]): ItemError[] {
  const known = new Set(found.map(({ id }) => id))
  return ids.filter((id) => !known.has(id)).map((id) => itemError(id, assetNotFound()))
}
