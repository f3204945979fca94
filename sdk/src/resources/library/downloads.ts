import type { BodyOf, Caller } from '../../http/call.ts'
import type { UnkeyedOptions } from '../../http/settings.ts'

/** Links to the files of an asset. */
export const downloads = ({ call }: Caller) => ({
  /** Creates a short-lived link to the source, or to a rendition as MP4. The link needs no token. */
  create: (assetId: string, body: BodyOf<'createDownload'>, options?: UnkeyedOptions) =>
    call('createDownload', { params: { asset_id: assetId }, body }, options),
})
