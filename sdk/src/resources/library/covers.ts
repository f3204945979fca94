import type { BodyOf, Caller } from '../../http/call.ts'
import type { UnkeyedOptions } from '../../http/settings.ts'

/** The image of an asset that players show before playback. */
export const covers = ({ call }: Caller) => ({
  read: (assetId: string, options?: UnkeyedOptions) => call('readCover', { params: { asset_id: assetId } }, options),

  /** Chooses a frame, a generated thumbnail or an uploaded image. Frames and images are processed in the background. */
  set: (assetId: string, body: BodyOf<'setCover'>, options?: UnkeyedOptions) =>
    call('setCover', { params: { asset_id: assetId }, body }, options),

  /** Returns a form for uploading an image; afterwards, set the cover with its id. */
  createUpload: (assetId: string, options?: UnkeyedOptions) =>
    call('createCoverUpload', { params: { asset_id: assetId } }, options),

  /** Returns to the cover that was chosen automatically. */
  delete: (assetId: string, options?: UnkeyedOptions) =>
    call('deleteCover', { params: { asset_id: assetId } }, options),
})
