/** Copies the objects of an organization. Objects never change, so those that were copied before are skipped. */
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import { copyHolding, sum } from '../../../maintenance/copies/copy-object.ts'
import { forEachConcurrently } from '../../../maintenance/for-each-concurrently.ts'
import { type Holding, listHoldings } from '../../../maintenance/stored-objects.ts'
import type { OpenCell } from '../open-cell.ts'

const HOLDINGS_AT_ONCE = 8

export type CarriedObjects = {
  readonly objects: number
  readonly bytes: number
  readonly missing: readonly string[]
}

type Way = { readonly source: OpenCell; readonly destination: OpenCell }

type Part = {
  /** All assets, or these. */
  readonly assetIds?: readonly AssetId[]
  /** Include the source files of all assets, or of these. */
  readonly withFilesOf?: ReadonlySet<AssetId>
}

export async function carryObjects(
  { source, destination }: Way,
  organizationId: OrganizationId,
  signal: AbortSignal,
  { assetIds, withFilesOf }: Part = {},
): Promise<CarriedObjects> {
  let total = { objects: 0, bytes: 0, objectsKept: 0, missing: [] as readonly string[] }
  const holdings = listHoldings(source.database.forOrganization(organizationId), assetIds)
  const carry = async (holding: Holding) => {
    if (holding.bucket === 'uploads' && withFilesOf?.has(holding.assetId) === false) return
    const copied = await copyHolding(source.buckets, destination.buckets, holding, signal)
    total = sum(total, copied)
  }
  await forEachConcurrently(holdings, { concurrency: HOLDINGS_AT_ONCE, signal }, carry)
  return total
}
