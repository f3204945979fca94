/** Copies the objects of an organization. Objects never change, so those that were copied before are skipped. */
import type { AssetId } from '../../../kernel/ids.ts'
import { copyStoredItem, sum } from '../../../maintenance/copies/copy-object.ts'
import { forEachConcurrently } from '../../../maintenance/for-each-concurrently.ts'
import { listStoredItems, type StoredItem } from '../../../maintenance/stored-objects.ts'
import type { MoveContext } from '../rows/rows.ts'

const ITEMS_AT_ONCE = 8

export type CopiedObjects = {
  readonly objects: number
  readonly bytes: number
  readonly missing: readonly string[]
}

type Part = {
  /** The assets whose objects are copied; all if undefined. */
  readonly assetIds?: readonly AssetId[]
  /** The assets whose source files are copied too; all if undefined. */
  readonly withFilesOf?: ReadonlySet<AssetId>
}

export async function copyObjects(
  { source, destination, organizationId, signal }: MoveContext,
  { assetIds, withFilesOf }: Part = {},
): Promise<CopiedObjects> {
  const buckets = { from: source.buckets, to: destination.buckets, signal }
  let total = { objects: 0, bytes: 0, objectsKept: 0, missing: [] as readonly string[] }
  const items = listStoredItems(source.database.forOrganization(organizationId), assetIds)
  const copy = async (item: StoredItem) => {
    if (item.bucket === 'uploads' && withFilesOf?.has(item.assetId) === false) return
    const copied = await copyStoredItem(buckets, item)
    total = sum(total, copied)
  }
  await forEachConcurrently(items, { concurrency: ITEMS_AT_ONCE, signal }, copy)
  return total
}
