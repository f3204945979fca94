/** The end of rendering: the asset has media of its own, and the media that it has shown as a clip is released. */
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { enqueueJob } from '../../../platform/jobs/enqueue.ts'
import { type Asset, mediaIdOf } from '../assets.rules.ts'
import { deleteOldVersionsJob } from '../changes/version-activation.ts'
import { enqueueStorageDeletion, type FormLifetime } from '../deletion/asset-objects.ts'
import { lockMediaOf, selectInUse, writePurge } from '../deletion/asset-purge.store.ts'
import { type RenderedImages, unclip } from './finish-render.store.ts'

/** The caller has locked the asset, and sees the trash. The media is deleted if nothing else needs it. */
export async function finishRender(
  tx: OrganizationDb,
  asset: Asset,
  { settings, ...images }: RenderedImages & { readonly settings: FormLifetime },
): Promise<void> {
  const mediaId = mediaIdOf(asset)
  const media = (await lockMediaOf(tx, [asset.id])).find(({ id }) => id === mediaId)
  await unclip(tx, asset.id, images)
  if (!media || (await selectInUse(tx, [mediaId])).has(mediaId)) return
  if (!media.isRetained) {
    return enqueueJob(tx, deleteOldVersionsJob, { input: { assetId: media.versionOfId ?? mediaId } })
  }
  await writePurge(tx, { ids: [], retained: [], removed: [mediaId] })
  await enqueueStorageDeletion(tx, [mediaId], settings)
}
