import type { Asset, ListAssetsQuery, Operations } from '../generated/contract.ts'
import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { type List, listOf } from '../http/list.ts'
import type { ConditionalOptions, UnkeyedOptions } from '../http/settings.ts'
import { isCompleted, isPlayable } from '../streaming/wait.rules.ts'
import { type WaitOptions, waitUntil } from '../streaming/wait.ts'

type ListAnswer = Operations['listAssets']['answer']

/** A page of whole assets, or of their parts if the query has `fields`. */
type AssetPage<Query> = Query extends { fields: string }
  ? ListAnswer
  : Omit<ListAnswer, 'results'> & { results: Asset[] }

/** Rejects unknown properties of the query. */
type Known<Query> = Query & Record<Exclude<keyof Query, keyof ListAssetsQuery>, never>

/** Videos, from the start of their upload. */
export const assets = (caller: Caller) => ({
  /** Lists assets, newest first unless `order` is given. With `fields`, only these fields are returned. */
  list: <Query extends ListAssetsQuery = ListAssetsQuery>(query?: Known<Query>, options?: UnkeyedOptions) =>
    listOf((cursor) => caller.call('listAssets', { query: { ...query, ...cursor } }, options)) as List<
      AssetPage<Query>
    >,

  read: (id: string, options?: UnkeyedOptions) => caller.call('readAsset', { params: { asset_id: id } }, options),

  /** Changes the given fields and keeps the others. With `ifMatch`, fails if they have changed since they were read. */
  update: (id: string, body: BodyOf<'updateAsset'>, options?: ConditionalOptions) =>
    caller.call('updateAsset', { params: { asset_id: id }, body }, options),

  /** Moves the asset into a folder, or to the root with `folder` null. */
  move: (id: string, body: BodyOf<'moveAsset'>, options?: UnkeyedOptions) =>
    caller.call('moveAsset', { params: { asset_id: id }, body }, options),

  /** Moves the asset to the trash. With `permanently`, purges it at once. */
  delete: (id: string, query: QueryOf<'deleteAsset'> = {}, options?: UnkeyedOptions) =>
    caller.call('deleteAsset', { params: { asset_id: id }, query }, options),

  /** Restores an asset from the trash, with everything it had. */
  restore: (id: string, options?: UnkeyedOptions) => caller.call('restoreAsset', { params: { asset_id: id } }, options),

  /** Stops processing within seconds. The file is kept, so `retry` can resume. */
  cancel: (id: string, options?: UnkeyedOptions) => caller.call('cancelAsset', { params: { asset_id: id } }, options),

  /** Resumes processing that failed or was cancelled. */
  retry: (id: string, options?: UnkeyedOptions) => caller.call('retryAsset', { params: { asset_id: id } }, options),

  /** Returns the history of the asset and what it is waiting for. */
  readTimeline: (id: string, options?: UnkeyedOptions) =>
    caller.call('readAssetTimeline', { params: { asset_id: id } }, options),

  /** Returns the planned renditions, with reasons. */
  readPlan: (id: string, options?: UnkeyedOptions) =>
    caller.call('readAssetPlan', { params: { asset_id: id } }, options),

  /** Returns the exact times of the frames around a position, in seconds. */
  readFrames: (id: string, query: QueryOf<'readFrames'>, options?: UnkeyedOptions) =>
    caller.call('readFrames', { params: { asset_id: id }, query }, options),

  /**
   * Waits until the beginning can be played and `video.playback_url` is set. Throws a ProcessingError if
   * processing fails.
   */
  waitUntilPlayable: (id: string, options?: WaitOptions) =>
    waitUntil(caller, id, { what: 'playable', isDone: isPlayable }, options),

  /** Waits until processing is complete. Throws a ProcessingError if it fails. */
  waitUntilCompleted: (id: string, options?: WaitOptions) =>
    waitUntil(caller, id, { what: 'completed', isDone: isCompleted }, options),
})
