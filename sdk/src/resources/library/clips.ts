import type { BodyOf, Caller } from '../../http/call.ts'
import type { CallOptions, ConditionalOptions } from '../../http/settings.ts'

/** Parts of videos, which are shown without encoding or copying anything. */
export const clips = ({ call }: Caller) => ({
  /** Creates an asset that shows a part of another one. */
  create: (assetId: string, body: BodyOf<'createClip'>, options?: CallOptions) =>
    call('createClip', { params: { asset_id: assetId }, body }, options),

  /** Creates an independent asset of what an asset shows, or of a part of it, by encoding only its ends again. */
  render: (assetId: string, body: BodyOf<'renderAsset'>, options?: CallOptions) =>
    call('renderAsset', { params: { asset_id: assetId }, body }, options),

  /** Shows only a part of an asset. With `ifMatch`, fails if the asset has changed since it was read. */
  trim: (assetId: string, body: BodyOf<'setTrim'>, options?: ConditionalOptions) =>
    call('setTrim', { params: { asset_id: assetId }, body }, options),

  /** Shows the whole video again. */
  untrim: (assetId: string, options?: ConditionalOptions) =>
    call('deleteTrim', { params: { asset_id: assetId } }, options),
})
