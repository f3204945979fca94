import { trash as contract } from '@reelkeep/contract'
import { pageRequestOf, toUncountedPage } from '../../platform/http/page.ts'
import { type Api, type PlaybackBase, route } from '../../platform/http/route.ts'
import { assetWire } from '../assets/assets.wire.ts'
import { isTrashKey, listTrash, type TrashItem } from './trash.ts'

export function registerTrashRoutes(api: Api): void {
  route(api, contract.listTrash, async ({ db, query, listUrl, playbackBase }) => {
    const found = await listTrash(db, pageRequestOf(query, isTrashKey))
    const page = toUncountedPage(listUrl, found, toItem(playbackBase))
    return { count: found.count, count_is_exact: found.count !== null, ...page }
  })
}

const toItem =
  (playbackBase: PlaybackBase) =>
  ({ deletedAt, purgeAt, asset, folder }: TrashItem): contract.TrashItem => ({
    type: folder ? 'folder' : 'asset',
    deleted_at: deletedAt,
    purge_at: purgeAt,
    asset: asset && assetWire(playbackBase)(asset),
    folder: folder && {
      uuid: folder.uuid,
      title: folder.title,
      parent: folder.parentUuid,
      folder_count: folder.folderCount,
      asset_count: folder.assetCount,
      external_id: folder.externalId,
      metadata: folder.metadata,
    },
  })
