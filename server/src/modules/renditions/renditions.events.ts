/** Events about renditions. */
import type { Asset } from '../assets/assets.ts'
import { aboutAsset, type NewEvent } from '../events/events.ts'

type Named = { readonly name: string }

/** All segments of the rendition are playable. */
export const renditionCompleted = ({ id }: Pick<Asset, 'id'>, { name }: Named): NewEvent =>
  aboutAsset(id, {
    type: 'rendition.completed',
    data: { asset_id: id, name, status: 'Completed' },
  })

/** Processing has ended with missing segments. */
export const renditionFailed = ({ id }: Pick<Asset, 'id'>, { name }: Named): NewEvent =>
  aboutAsset(id, { type: 'rendition.failed', data: { asset_id: id, name, status: 'Error' } })
