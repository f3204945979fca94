import type { Reelkeep } from 'reelkeep'
import { problemOf } from '../../../api/request.ts'
import { type AssetTarget, chunksOf, LISTED_MAX, type TargetAsset, withoutTag } from './asset-target.ts'

export type AssetChange =
  | { readonly action: 'move'; readonly folder: string | null }
  | { readonly action: 'delete' | 'restore' }
  | { readonly action: 'add_tags' | 'remove_tags'; readonly tags: readonly string[] }

/** `reason` is why the first one failed. */
export type ChangeResult = { readonly done: number; readonly failed: number; readonly reason?: unknown }

/** Up to this number, one request per asset is faster than an operation in the background. */
const SINGLE_REQUESTS_MAX = 10
const PAGE = 100

/** Reads which assets match, if they are few enough to be listed. */
export async function listed(client: Reelkeep, target: AssetTarget): Promise<AssetTarget> {
  if (target.kind === 'listed' || target.count === null || target.count > LISTED_MAX) return target
  const except = new Set(target.exceptIds)
  const assets: TargetAsset[] = []
  for await (const asset of client.assets.list({ ...target.filter, limit: PAGE, fields: 'id,parent_id,tags' })) {
    const { id = '', parent_id: parentId = null, tags = [] } = asset
    if (!except.has(id)) assets.push({ id, parentId, tags })
  }
  return { kind: 'listed', assets }
}

/** Changes all assets and returns when it is done. */
export async function changeAssets(client: Reelkeep, target: AssetTarget, change: AssetChange): Promise<ChangeResult> {
  if (target.kind === 'matching') {
    const { filter, exceptIds } = target
    return runOperation(client, { filter, ...(exceptIds.length > 0 && { except_ids: [...exceptIds] }) }, change)
  }
  if (target.assets.length <= SINGLE_REQUESTS_MAX) return changeOneByOne(client, target.assets, change)
  const results: ChangeResult[] = []
  for (const chunk of chunksOf(target.assets, LISTED_MAX)) {
    results.push(await runOperation(client, { ids: chunk.map(({ id }) => id) }, change))
  }
  return sumOf(results)
}

function sumOf(results: readonly ChangeResult[]): ChangeResult {
  const reason = results.find((result) => result.reason !== undefined)?.reason
  return {
    done: results.reduce((sum, { done }) => sum + done, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
    ...(reason !== undefined && { reason }),
  }
}

type Selected = Pick<Parameters<Reelkeep['bulkOperations']['create']>[0], 'ids' | 'filter' | 'except_ids'>

async function runOperation(client: Reelkeep, selected: Selected, change: AssetChange): Promise<ChangeResult> {
  const body = 'tags' in change ? { ...change, tags: [...change.tags] } : change
  const { id } = await client.bulkOperations.create({ ...selected, ...body })
  const { progress, error, errors } = await client.bulkOperations.waitUntilFinished(id)
  const reason = error ?? errors[0]
  return {
    done: progress.done,
    failed: progress.total - progress.done,
    ...(reason && { reason: new Error(reason.detail) }),
  }
}

async function changeOneByOne(
  client: Reelkeep,
  assets: readonly TargetAsset[],
  change: AssetChange,
): Promise<ChangeResult> {
  const results = await Promise.allSettled(assets.map((asset) => changeOne(client, asset, change)))
  const failures = results.filter((result) => result.status === 'rejected')
  const [first] = failures
  if (failures.length === assets.length && first) throw first.reason
  const reason: unknown = first && (problemOf(first.reason) ?? first.reason)
  return { done: assets.length - failures.length, failed: failures.length, ...(reason !== undefined && { reason }) }
}

async function changeOne(client: Reelkeep, { id, tags }: TargetAsset, change: AssetChange): Promise<void> {
  if (change.action === 'move') await client.assets.move(id, { folder: change.folder })
  else if (change.action === 'delete') await client.assets.delete(id)
  else if (change.action === 'restore') await client.assets.restore(id)
  else if ('tags' in change) await client.assets.update(id, { tags: changedTags(tags, change) })
}

function changedTags(tags: readonly string[], { action, tags: given }: { action: string; tags: readonly string[] }) {
  if (action === 'add_tags')
    return [...tags, ...given.filter((tag) => withoutTag([{ id: '', parentId: null, tags }], tag).length > 0)]
  const removed = new Set(given.map((tag) => tag.toLocaleLowerCase()))
  return tags.filter((tag) => !removed.has(tag.toLocaleLowerCase()))
}
