import { isTextDropItem, useDragAndDrop } from 'react-aria-components'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { ASSETS_TYPE, draggedAssets } from '../actions/dragged-assets.ts'
import { useAssetActions } from '../actions/use-asset-actions.ts'
import { useFolderActions } from '../actions/use-folder-actions.ts'
import { rootFolderOf } from './folder-levels.ts'
import { ALL_VIDEOS, find, type TreeNode } from './tree-nodes.ts'

const FOLDER_TYPE = 'application/x-reelkeep-folder'

const isPlaceholder = (key: string) => key.includes('/')

/** Moves videos and folders that are dropped on a folder. Undefined if the user may move neither. */
export function useTreeDrops(nodes: readonly TreeNode[]) {
  const organization = useOrganization()
  const [mayMoveFolders, mayMoveAssets] = [organization.can('folders:write'), organization.can('assets:write')]
  const assetActions = useAssetActions()
  const folderActions = useFolderActions()
  const destination = (key: string) =>
    key === ALL_VIDEOS
      ? { uuid: rootFolderOf(organization), title: null }
      : { uuid: key, title: titleOf(nodes, key) ?? null }
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) =>
      [...keys].map(String).flatMap((key) => {
        const isFolder = key !== ALL_VIDEOS && !isPlaceholder(key)
        return isFolder && mayMoveFolders ? [{ [FOLDER_TYPE]: key, 'text/plain': titleOf(nodes, key) ?? '' }] : []
      }),
    acceptedDragTypes: [...(mayMoveAssets ? [ASSETS_TYPE] : []), ...(mayMoveFolders ? [FOLDER_TYPE] : [])],
    getDropOperation: (target) =>
      target.type === 'item' && target.dropPosition === 'on' && !isPlaceholder(String(target.key)) ? 'move' : 'cancel',
    onItemDrop: ({ items, target }) => {
      const folder = destination(String(target.key))
      for (const item of items.filter(isTextDropItem)) {
        if (item.types.has(ASSETS_TYPE)) {
          const assets = draggedAssets.take()
          if (assets) void assetActions.move(assets, folder)
        } else void item.getText(FOLDER_TYPE).then((uuid) => moveFolder(uuid, folder))
      }
    },
  })
  const moveFolder = (uuid: string, to: { readonly uuid: string | null; readonly title: string | null }) => {
    const node = find(nodes, uuid)
    if (node && to.uuid !== uuid) void folderActions.move({ uuid, title: node.title }, to)
  }
  return mayMoveFolders || mayMoveAssets ? dragAndDropHooks : undefined
}

const titleOf = (nodes: readonly TreeNode[], id: string) => find(nodes, id)?.title
