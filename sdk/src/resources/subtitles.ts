import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** Subtitle tracks of an asset: uploaded, embedded in its file, or generated. */
export const subtitles = ({ call }: Caller) => ({
  /** Adds the contents of a WebVTT or SRT file. */
  add: (assetId: string, body: BodyOf<'addSubtitle'>, options?: CallOptions) =>
    call('addSubtitle', { params: { asset_id: assetId }, body }, options),

  list: (assetId: string, query: QueryOf<'listSubtitles'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) =>
      call('listSubtitles', { params: { asset_id: assetId }, query: { ...query, ...cursor } }, options),
    ),

  /** Returns the track as WebVTT. */
  read: (assetId: string, id: string, options?: UnkeyedOptions) =>
    call('readSubtitle', { params: { asset_id: assetId, subtitle_id: id } }, options),

  delete: (assetId: string, id: string, options?: UnkeyedOptions) =>
    call('deleteSubtitle', { params: { asset_id: assetId, subtitle_id: id } }, options),
})
