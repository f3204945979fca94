import { Type } from 'typebox'
import { closed, Metadata, noParams, nullable, openSet, timestampField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { boundedCountPage, pageQuery } from '../page.ts'
import { Asset } from './assets.ts'
import { FolderUuid } from './folders.ts'

const TrashedFolder = Type.Object(
  {
    uuid: FolderUuid,
    title: Type.String(),
    parent: nullable(FolderUuid, 'The parent folder; null at the root.'),
    folder_count: Type.Integer({
      description: 'Number of subfolders at all levels that were deleted with the folder.',
    }),
    asset_count: Type.Integer({ description: 'Number of assets at all levels that were deleted with the folder.' }),
    external_id: nullable(Type.String()),
    metadata: Metadata,
  },
  { title: 'TrashedFolder' },
)

export const TrashItem = Type.Object(
  {
    type: openSet(['asset', 'folder'], { description: '"asset" or "folder"; later versions may add others.' }),
    deleted_at: timestampField,
    purge_at: timestampField,
    asset: nullable(Asset, 'The deleted asset; null for a folder. Its playback URLs work again after it is restored.'),
    folder: nullable(TrashedFolder, 'The deleted folder; null for an asset.'),
  },
  { title: 'TrashItem' },
)
export type TrashItem = Type.Static<typeof TrashItem>

export const listTrash = {
  tag: 'Trash',
  idempotent: false,
  id: 'listTrash',
  method: 'GET',
  path: '/trash/',
  summary: 'List the trash',
  description:
    'Returns deleted assets and folders that can be restored, most recently deleted first. Assets and folders that were deleted with a folder are not listed: they are restored with it.',
  scopes: ['assets:read', 'folders:read'],
  params: noParams,
  query: Type.Object(pageQuery, closed),
  body: undefined,
  success: { status: 200, body: boundedCountPage(TrashItem) },
  errors: ['invalid_cursor'],
} as const satisfies Operation

export const operations = [listTrash] as const
