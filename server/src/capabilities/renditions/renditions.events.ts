/** What renditions tell. */
import type { Asset } from '../assets/assets.ts'
import { aboutAsset, type NewEvent } from '../events/events.ts'

type Named = { readonly name: string }

/** Every segment of it is there. */
export const renditionCompleted = ({ id }: Pick<Asset, 'id'>, { name }: Named): NewEvent =>
  aboutAsset(id, {
    type: 'rendition.completed',
    data: { asset_id: id, name, status: 'Completed' },
  })

/** The processing has ended, and some of it is missing. */
export const renditionFailed = ({ id }: Pick<Asset, 'id'>, { name }: Named): NewEvent =>
  aboutAsset(id, { type: 'rendition.failed', data: { asset_id: id, name, status: 'Error' } })
