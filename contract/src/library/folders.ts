import { Type } from 'typebox'
import {
  bodyOf,
  changesOf,
  closed,
  externalIdField,
  flag,
  legalHoldField,
  Metadata,
  metadataChange,
  metadataField,
  noParams,
  noQuery,
  nullable,
  permanentlyFlag,
  searchText,
  timestampField,
  titleField,
} from '../fields.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'

export const FolderUuid = Type.String({
  pattern: '^[1-9A-HJ-NP-Za-km-z]{11}$',
  description: 'Folder identifier: an opaque string of 11 characters.',
  examples: ['7Hq2kVnW4sD'],
})

/** Folder identifier in a request. Any text is valid: a malformed identifier is reported as a missing folder. */
export const FolderReference = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: ['7Hq2kVnW4sD'],
})

/** A folder in lists and in the response of createFolder. */
export const Folder = Type.Object({ title: Type.String(), uuid: FolderUuid }, { title: 'Folder' })
export type Folder = Type.Static<typeof Folder>

export const FolderDetails = Type.Object(
  {
    title: Type.String(),
    uuid: FolderUuid,
    parent: nullable(FolderUuid, 'The parent folder; null at the root.'),
    path: Type.Array(Folder, {
      description: 'The ancestors, from the root down to the parent; empty at the root.',
    }),
    folder_count: Type.Integer({ description: 'Number of direct subfolders.' }),
    asset_count: Type.Integer({ description: 'Number of assets directly in this folder.' }),
    external_id: nullable(Type.String(), 'Your own identifier, unique among the folders of the organization.'),
    metadata: Metadata,
    legal_hold: Type.Boolean({
      description: 'Whether the folder is under legal hold, so that neither it nor anything in it can be deleted.',
    }),
    created_at: timestampField,
    updated_at: timestampField,
  },
  { title: 'FolderDetails' },
)
export type FolderDetails = Type.Static<typeof FolderDetails>

export const FolderTreeNode = Type.Object(
  {
    title: Type.String(),
    uuid: FolderUuid,
    parent: nullable(FolderUuid),
    depth: Type.Integer({ description: 'Level in the tree, starting at 1.' }),
    has_more: Type.Boolean({
      description:
        'True if the response omits some of its subfolders. Request the tree or list of this folder to get them.',
    }),
  },
  { title: 'FolderTreeNode' },
)

const onFolder = Type.Object({ folder_uuid: FolderUuid })
const shared = { tag: 'Folders', idempotent: false } as const

export const createFolder = {
  ...shared,
  id: 'createFolder',
  method: 'POST',
  path: '/assets/folders/',
  summary: 'Create a folder',
  description: 'Creates a folder at the root or inside `parent`. Titles do not have to be unique.',
  scopes: ['folders:create'],
  params: noParams,
  query: noQuery,
  body: bodyOf(
    {
      title: titleField,
      parent: Type.Optional(
        nullable(FolderReference, 'Parent folder; omit it or pass null to create the folder at the root.'),
      ),
      external_id: Type.Optional(nullable(externalIdField)),
      metadata: Type.Optional(metadataField),
    },
    { title: 'Lectures' },
  ),
  success: { status: 201, body: Folder },
  idempotent: true,
  errors: ['invalid_title', 'parent_not_found', 'folder_too_deep', 'external_id_taken', 'outside_folder'],
} as const satisfies Operation

export const listFolders = {
  ...shared,
  id: 'listFolders',
  method: 'GET',
  path: '/assets/folders/',
  summary: 'List folders',
  description:
    'Returns the folders of the organization at all levels, ordered by title in natural order ("Part 2" before "Part 10"), then by uuid.',
  scopes: ['folders:read'],
  params: noParams,
  query: Type.Object(
    {
      q: searchText('Return only folders whose title contains this text, ignoring case and accents.'),
      parent: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Return only direct subfolders of this folder; `root` returns those at the root.',
        }),
      ),
      ...pageQuery,
    },
    closed,
  ),
  body: undefined,
  success: { status: 200, body: page(Folder) },
  errors: ['invalid_cursor', 'parent_not_found'],
} as const satisfies Operation

export const readFolder = {
  ...shared,
  id: 'readFolder',
  method: 'GET',
  path: '/assets/folders/:folder_uuid/',
  summary: 'Retrieve a folder',
  description: 'Returns the folder with its path and the number of folders and assets in it.',
  scopes: ['folders:read'],
  params: onFolder,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: FolderDetails },
  errors: ['folder_not_found'],
} as const satisfies Operation

export const updateFolder = {
  ...shared,
  id: 'updateFolder',
  method: 'PATCH',
  path: '/assets/folders/:folder_uuid/',
  summary: 'Update a folder',
  description:
    'Changes the given fields of the folder and keeps the others. `legal_hold` also requires the scope `holds:write`.',
  scopes: ['folders:write'],
  params: onFolder,
  query: noQuery,
  body: changesOf(
    {
      title: titleField,
      external_id: nullable(externalIdField, 'Your own identifier, unique among folders; null removes it.'),
      metadata: metadataChange,
      legal_hold: legalHoldField,
    },
    { title: 'Talks' },
  ),
  success: { status: 200, body: FolderDetails },
  errors: ['folder_not_found', 'invalid_title', 'external_id_taken', 'outside_folder'],
} as const satisfies Operation

export const moveFolder = {
  ...shared,
  id: 'moveFolder',
  method: 'POST',
  repeatable: true,
  path: '/assets/folders/:folder_uuid/move/',
  summary: 'Move a folder',
  description: 'Moves the folder with its contents into another folder, or to the root if `parent` is null.',
  scopes: ['folders:write'],
  params: onFolder,
  query: noQuery,
  body: bodyOf({ parent: nullable(FolderReference, 'Destination folder; null for the root.') }, { parent: null }),
  success: { status: 200, body: FolderDetails },
  errors: [
    'folder_not_found',
    'parent_not_found',
    'folder_into_itself',
    'folder_too_deep',
    'folder_too_large',
    'legal_hold',
    'outside_folder',
  ],
} as const satisfies Operation

export const deleteFolder = {
  ...shared,
  id: 'deleteFolder',
  method: 'DELETE',
  path: '/assets/folders/:folder_uuid/',
  summary: 'Delete a folder',
  description:
    "Moves an empty folder to the trash, or with `recursive=true` the folder and everything in it: at most 10,000 folders and 1,000 assets. They are restored and purged together. Deleting assets also requires the scope `assets:write`. Use the deletion preview to see what would be deleted. With `permanently=true`, or if the organization's `trash_days` is 0, everything is purged at once; this also purges a folder in the trash.",
  scopes: ['folders:write'],
  params: onFolder,
  query: Type.Object(
    { recursive: flag('Also delete all subfolders and the assets in them.'), permanently: permanentlyFlag },
    closed,
  ),
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['folder_not_found', 'folder_not_empty', 'folder_too_large', 'legal_hold', 'outside_folder'],
} as const satisfies Operation

export const restoreFolder = {
  ...shared,
  id: 'restoreFolder',
  method: 'POST',
  repeatable: true,
  path: '/assets/folders/:folder_uuid/restore/',
  summary: 'Restore a folder',
  description:
    'Moves a folder from the trash back to its parent, or to the root if the parent was deleted, with everything that was deleted with it. Restoring a folder that is not in the trash has no effect. A folder that was deleted with a parent folder is restored with that one. If its parent was deleted, and a folder above that one is under legal hold, it cannot be restored to the root.',
  scopes: ['folders:write'],
  params: onFolder,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: FolderDetails },
  errors: ['folder_not_found', 'legal_hold', 'outside_folder'],
} as const satisfies Operation

export const previewFolderDeletion = {
  ...shared,
  id: 'previewFolderDeletion',
  method: 'GET',
  path: '/assets/folders/:folder_uuid/deletion/',
  summary: 'Preview the deletion of a folder',
  description: 'Returns what a recursive deletion would delete, without deleting anything.',
  scopes: ['folders:read'],
  params: onFolder,
  query: noQuery,
  body: undefined,
  success: {
    status: 200,
    body: Type.Object(
      {
        folder_count: Type.Integer({
          description: 'Number of folders that would be deleted, including this one; counted up to 100,000.',
        }),
        asset_count: Type.Integer({
          description: 'Number of assets that would be deleted; counted up to 100,000.',
        }),
        allowed: Type.Boolean({
          description: 'False if the deletion exceeds the limits of one request.',
        }),
      },
      { title: 'FolderDeletion' },
    ),
  },
  errors: ['folder_not_found'],
} as const satisfies Operation

export const readFolderTree = {
  ...shared,
  id: 'readFolderTree',
  method: 'GET',
  path: '/assets/folders/tree/',
  summary: 'Retrieve the folder tree',
  description:
    'Returns the folders below the root or below `parent` as a flat array in display order. Contains at most 1,000 folders in total and 100 per folder; `has_more` marks folders whose subfolders are incomplete. The response has no `count`, `next` and `previous`, because a tree has no pages.',
  scopes: ['folders:read'],
  params: noParams,
  query: Type.Object(
    {
      parent: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Folder to start from; omit it or pass `root` for the root.',
        }),
      ),
      depth: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 32,
          default: 3,
          description: 'Number of levels to return.',
        }),
      ),
    },
    closed,
  ),
  body: undefined,
  success: {
    status: 200,
    body: Type.Object({ results: Type.Array(FolderTreeNode) }, { title: 'FolderTree' }),
  },
  errors: ['parent_not_found'],
} as const satisfies Operation

export const operations = [
  createFolder,
  listFolders,
  readFolderTree,
  readFolder,
  updateFolder,
  moveFolder,
  previewFolderDeletion,
  deleteFolder,
  restoreFolder,
] as const
