import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** Of an asset, each from its start to that of the next. */
export const chapters = ({ call }: Caller) => ({
  /** All of them or none. The answer holds those that were added. */
  add: (assetId: string, body: BodyOf<'addChapters'>, options?: CallOptions) =>
    call('addChapters', { params: { asset_id: assetId }, body }, options),

  /** Ordered by start. */
  list: (assetId: string, query: QueryOf<'listChapters'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) =>
      call(
        'listChapters',
        { params: { asset_id: assetId }, query: { ...query, ...cursor } },
        options,
      ),
    ),

  edit: (assetId: string, id: number, body: BodyOf<'editChapter'>, options?: UnkeyedOptions) =>
    call('editChapter', { params: { asset_id: assetId, chapter_id: id }, body }, options),

  delete: (assetId: string, id: number, options?: UnkeyedOptions) =>
    call('deleteChapter', { params: { asset_id: assetId, chapter_id: id } }, options),

  /** The asset has these afterwards and no others. */
  replace: (assetId: string, body: BodyOf<'replaceChapters'>, options?: UnkeyedOptions) =>
    call('replaceChapters', { params: { asset_id: assetId }, body }, options),

  /** From a text that somebody wrote or another program exported. */
  import: (assetId: string, body: BodyOf<'importChapters'>, options?: CallOptions) =>
    call('importChapters', { params: { asset_id: assetId }, body }, options),

  /** As a text that players and other programs read: WebVTT unless told. */
  export: (assetId: string, query: QueryOf<'exportChapters'> = {}, options?: UnkeyedOptions) =>
    call('exportChapters', { params: { asset_id: assetId }, query }, options),

  /** Those that the uploaded file itself holds. */
  readFound: (assetId: string, options?: UnkeyedOptions) =>
    call('readFoundChapters', { params: { asset_id: assetId } }, options),
})
