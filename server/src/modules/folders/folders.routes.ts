import { folders as contract } from '@reelkeep/contract'
import type { FolderUuid } from '../../kernel/ids.ts'
import { assertScope, hasScope } from '../../platform/http/access/principal.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { deleteFolder, previewDeletion } from './deletion/folder-deletion.ts'
import {
  type AssetsInFolders,
  createFolder,
  type FolderDetails,
  type FolderName,
  isFolderSortKey,
  type ListLocation,
  listFolders,
  moveFolder,
  readFolder,
  readTree,
  restoreFolder,
  searchFolders,
  type TreeNode,
  updateFolder,
} from './folders.ts'

export function registerFolderRoutes(api: Api, assets: AssetsInFolders): void {
  route(api, contract.createFolder, async ({ db, body }) =>
    toFolder(
      await createFolder(db, {
        title: body.title,
        parent: body.parent ?? null,
        externalId: body.external_id ?? null,
        metadata: body.metadata ?? {},
      }),
    ),
  )

  route(api, contract.listFolders, async ({ db, query, listUrl }) => {
    const request = pageRequestOf(query, isFolderSortKey)
    const location = toLocation(query.parent)
    const page = await (query.q
      ? searchFolders(db, { text: query.q, location }, request)
      : listFolders(db, location, request))
    return toPage(listUrl, page, toFolder)
  })

  route(api, contract.readFolderTree, async ({ db, query }) => {
    const nodes = await readTree(db, query.parent, query.depth ?? 3)
    return { results: nodes.map(toNode) }
  })

  route(api, contract.readFolder, async ({ db, params }) =>
    toDetails(await readFolder(assets, db, params.folder_uuid as FolderUuid)),
  )

  route(api, contract.updateFolder, async ({ db, principal, params, body }) => {
    const { title, external_id: externalId, metadata, legal_hold: legalHold } = body
    if (legalHold !== undefined) assertScope(principal, 'holds:write')
    const update = { title, externalId, metadata, legalHold }
    return toDetails(await updateFolder(assets, db, params.folder_uuid as FolderUuid, update))
  })

  route(api, contract.moveFolder, async ({ db, params, body }) =>
    toDetails(await moveFolder(assets, db, params.folder_uuid as FolderUuid, body.parent)),
  )

  route(api, contract.previewFolderDeletion, async ({ db, params }) => {
    const preview = await previewDeletion(assets, db, params.folder_uuid as FolderUuid)
    return {
      folder_count: preview.folders,
      asset_count: preview.assets,
      allowed: preview.isAllowed,
    }
  })

  route(api, contract.deleteFolder, async ({ db, principal, params, query }) => {
    await deleteFolder(assets, db, {
      uuid: params.folder_uuid as FolderUuid,
      isRecursive: query.recursive ?? false,
      isPermanent: query.permanently ?? false,
      mayChangeAssets: hasScope(principal, 'assets:write'),
    })
  })

  route(api, contract.restoreFolder, async ({ db, principal, params }) => {
    const uuid = params.folder_uuid as FolderUuid
    await restoreFolder(assets, db, { uuid, mayChangeAssets: hasScope(principal, 'assets:write') })
    return toDetails(await readFolder(assets, db, uuid))
  })
}

function toLocation(parent: string | undefined): ListLocation {
  if (parent === undefined) return 'anywhere'
  return parent === 'root' ? 'root' : { parent }
}

const toFolder = ({ title, uuid }: FolderName): contract.Folder => ({ title, uuid })

function toDetails({ folder, path, folderCount, assetCount }: FolderDetails): contract.FolderDetails {
  return {
    title: folder.title,
    uuid: folder.uuid,
    // Null for the folder that the principal is limited to.
    parent: path.at(-1)?.uuid ?? null,
    path: path.map(toFolder),
    folder_count: folderCount,
    asset_count: assetCount,
    external_id: folder.externalId,
    metadata: folder.metadata,
    legal_hold: folder.legalHold,
    created_at: folder.createdAt,
    updated_at: folder.updatedAt,
  }
}

const toNode = ({ title, uuid, parentUuid, depth, hasMore }: TreeNode) => ({
  title,
  uuid,
  parent: parentUuid,
  depth,
  has_more: hasMore,
})
