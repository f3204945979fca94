import { sql } from 'kysely'
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'

/** Keys of the timeline images of the new media. */
export type RenderedImages = {
  readonly storyboardKey: string | null
  readonly filmstripKey: string | null
  readonly waveformKey: string | null
}

type OfAsset = { readonly assetId: AssetId }

const deleteClip = statement(
  ({ organizationId, assetId }: Given<OfAsset>) => sql`
    delete from asset_clips where organization_id = ${organizationId} and asset_id = ${assetId}`,
)

/** There is no file of its own, so no size. */
const showOwnMedia = statement(
  (given: Given<OfAsset & RenderedImages>) => sql`
    update assets set media_id = null, bytes = null, own_bytes = null, storyboard_key = ${given.storyboardKey},
      filmstrip_key = ${given.filmstripKey}, waveform_key = ${given.waveformKey}, playable_at = now(), updated_at = now()
    where organization_id = ${given.organizationId} and id = ${given.assetId}`,
)

/** Makes a clip an asset that shows the media that is stored under its own id. */
export async function unclip(tx: OrganizationDb, assetId: AssetId, images: RenderedImages): Promise<void> {
  await tx.run(deleteClip({ assetId }), showOwnMedia({ assetId, ...images }))
}
