import type { Caller, QueryOf } from '../../http/call.ts'
import { listOf } from '../../http/list.ts'
import type { UnkeyedOptions } from '../../http/settings.ts'

/** Search in titles, chapters and subtitles. */
export const search = ({ call }: Caller) => ({
  /** Finds videos in order of relevance, each with the moments at which the words are shown or said. */
  moments: (query: QueryOf<'searchMoments'>, options?: UnkeyedOptions) =>
    listOf((cursor) => call('searchMoments', { query: { ...query, ...cursor } }, options)),

  /** Finds all moments of a video that contain the words, in the order of their start. */
  inAsset: (assetId: string, query: QueryOf<'searchAsset'>, options?: UnkeyedOptions) =>
    listOf((cursor) => call('searchAsset', { params: { asset_id: assetId }, query: { ...query, ...cursor } }, options)),
})
