import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, ConditionalOptions, UnkeyedOptions } from '../http/settings.ts'

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

  /**
   * Replaces the text of the track; the earlier text stays as a version. With `ifMatch`, fails if it has changed since
   * its versions were listed.
   */
  replace: (assetId: string, id: string, body: BodyOf<'replaceSubtitle'>, options?: ConditionalOptions) =>
    call('replaceSubtitle', { params: { asset_id: assetId, subtitle_id: id }, body }, options),

  /** Lists the versions of the text, newest first. The page has the `etag` of the track. */
  listVersions: (assetId: string, id: string, options?: UnkeyedOptions) =>
    listOf(() => call('listSubtitleVersions', { params: { asset_id: assetId, subtitle_id: id } }, options)),

  /** Returns a version as WebVTT. */
  readVersion: (assetId: string, id: string, number: number, options?: UnkeyedOptions) =>
    call('readSubtitleVersion', { params: versionOf(assetId, id, number) }, options),

  /** Shows another version to viewers. With `ifMatch`, fails if the text has changed since its versions were listed. */
  activateVersion: (assetId: string, id: string, number: number, options?: ConditionalOptions) =>
    call('activateSubtitleVersion', { params: versionOf(assetId, id, number) }, options),

  delete: (assetId: string, id: string, options?: UnkeyedOptions) =>
    call('deleteSubtitle', { params: { asset_id: assetId, subtitle_id: id } }, options),
})

const versionOf = (assetId: string, id: string, number: number) => ({
  ...{ asset_id: assetId, subtitle_id: id },
  version_number: number,
})
