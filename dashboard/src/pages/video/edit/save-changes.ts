import type { Reelkeep, UpdateAssetBody } from 'reelkeep'
import { hasCode } from '../../../api/request.ts'
import type { VideoAsset } from '../video-data.ts'
import { conflictingFields } from './conflicts.ts'

/** Another change of the same field was saved while the user was editing. */
export class EditConflict extends Error {
  override readonly name = 'EditConflict'
  readonly latest: VideoAsset

  constructor(latest: VideoAsset) {
    super('The video has changed.')
    this.latest = latest
  }
}

/**
 * Saves changes of a video as it was when the user started to edit. Changes of other fields since then are kept; a change
 * of the same field throws an EditConflict.
 */
export async function saveChanges(client: Reelkeep, base: VideoAsset, changes: UpdateAssetBody): Promise<VideoAsset> {
  try {
    return await client.assets.update(base.id, changes, { ifMatch: base.etag })
  } catch (error) {
    if (!hasCode(error, 'changed_meanwhile')) throw error
    const latest = await client.assets.read(base.id)
    if (conflictingFields(changes, base, latest).length > 0) throw new EditConflict(latest)
    return saveChanges(client, latest, changes)
  }
}

/** Saves a change that can be applied to any state, such as an added tag. */
export async function saveMerged(
  client: Reelkeep,
  base: VideoAsset,
  change: (asset: VideoAsset) => UpdateAssetBody,
): Promise<VideoAsset> {
  try {
    return await client.assets.update(base.id, change(base), { ifMatch: base.etag })
  } catch (error) {
    if (!hasCode(error, 'changed_meanwhile')) throw error
    return saveMerged(client, await client.assets.read(base.id), change)
  }
}
