import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, ConditionalOptions, UnkeyedOptions } from '../http/settings.ts'

/** Chapters of an asset. Each lasts until the next one starts. */
export const chapters = ({ call }: Caller) => ({
  /** Adds all of the chapters or none. Returns the added chapters. */
  add: (assetId: string, body: BodyOf<'addChapters'>, options?: CallOptions) =>
    call('addChapters', { params: { asset_id: assetId }, body }, options),

  /** Lists chapters, ordered by start. The page has their `etag`. */
  list: (assetId: string, query: QueryOf<'listChapters'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) =>
      call('listChapters', { params: { asset_id: assetId }, query: { ...query, ...cursor } }, options),
    ),

  read: (assetId: string, id: number, options?: UnkeyedOptions) =>
    call('readChapter', { params: { asset_id: assetId, chapter_id: id } }, options),

  edit: (assetId: string, id: number, body: BodyOf<'editChapter'>, options?: UnkeyedOptions) =>
    call('editChapter', { params: { asset_id: assetId, chapter_id: id }, body }, options),

  delete: (assetId: string, id: number, options?: UnkeyedOptions) =>
    call('deleteChapter', { params: { asset_id: assetId, chapter_id: id } }, options),

  /** Replaces all chapters of the asset. With `ifMatch`, fails if they have changed since they were listed. */
  replace: (assetId: string, body: BodyOf<'replaceChapters'>, options?: ConditionalOptions) =>
    call('replaceChapters', { params: { asset_id: assetId }, body }, options),

  /** Imports chapters from text in one of several formats. */
  import: (assetId: string, body: BodyOf<'importChapters'>, options?: CallOptions) =>
    call('importChapters', { params: { asset_id: assetId }, body }, options),

  /** Exports the chapters as text (default: WebVTT). */
  export: (assetId: string, query: QueryOf<'exportChapters'> = {}, options?: UnkeyedOptions) =>
    call('exportChapters', { params: { asset_id: assetId }, query }, options),

  /** Returns the chapters contained in the uploaded file. */
  readFound: (assetId: string, options?: UnkeyedOptions) =>
    call('readFoundChapters', { params: { asset_id: assetId } }, options),

  /** Returns where chapters could start: scene changes, and the ends of pauses. */
  readProposals: (assetId: string, options?: UnkeyedOptions) =>
    call('readChapterProposals', { params: { asset_id: assetId } }, options),

  /** Returns where the topic of the transcript changes, with titles. Can take a minute. */
  propose: (assetId: string, options?: UnkeyedOptions) =>
    call('proposeChapters', { params: { asset_id: assetId } }, options),
})
