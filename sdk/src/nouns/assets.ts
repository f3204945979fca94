import { isCompleted, isPlayable } from '../following/wait.rules.ts'
import { type WaitOptions, waitUntil } from '../following/wait.ts'
import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { UnkeyedOptions } from '../http/settings.ts'

/** Videos, from the moment their upload begins. */
export const assets = (caller: Caller) => ({
  /** Newest first. */
  list: (query: QueryOf<'listAssets'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => caller.call('listAssets', { query: { ...query, ...cursor } }, options)),

  read: (id: string, options?: UnkeyedOptions) =>
    caller.call('readAsset', { params: { asset_id: id } }, options),

  rename: (id: string, body: BodyOf<'renameAsset'>, options?: UnkeyedOptions) =>
    caller.call('renameAsset', { params: { asset_id: id }, body }, options),

  /** Into a folder, or to the root with `folder` null. */
  move: (id: string, body: BodyOf<'moveAsset'>, options?: UnkeyedOptions) =>
    caller.call('moveAsset', { params: { asset_id: id }, body }, options),

  delete: (id: string, options?: UnkeyedOptions) =>
    caller.call('deleteAsset', { params: { asset_id: id } }, options),

  /** Whatever works on it stops within seconds. The file stays: `retry` goes on with it. */
  cancel: (id: string, options?: UnkeyedOptions) =>
    caller.call('cancelAsset', { params: { asset_id: id } }, options),

  /** For one that failed or was cancelled and whose file is there. */
  retry: (id: string, options?: UnkeyedOptions) =>
    caller.call('retryAsset', { params: { asset_id: id } }, options),

  /** What happened to it and what is awaited, in plain words. */
  readTimeline: (id: string, options?: UnkeyedOptions) =>
    caller.call('readAssetTimeline', { params: { asset_id: id } }, options),

  /** What is made of the video, and why. */
  readPlan: (id: string, options?: UnkeyedOptions) =>
    caller.call('readAssetPlan', { params: { asset_id: id } }, options),

  /**
   * Until its beginning can be played: `video.playback_url` is there. Throws a ProcessingError if that will not be.
   */
  waitUntilPlayable: (id: string, options?: WaitOptions) =>
    waitUntil(caller, id, { what: 'playable', isDone: isPlayable }, options),

  /** Until all of it is made. Throws a ProcessingError if that will not be. */
  waitUntilCompleted: (id: string, options?: WaitOptions) =>
    waitUntil(caller, id, { what: 'completed', isDone: isCompleted }, options),
})
