import { Type } from 'typebox'
import {
  bodyOf,
  closed,
  noParams,
  noQuery,
  nullable,
  searchText,
  timestampField,
  titleField,
} from './fields.ts'
import type { Operation } from './operation.ts'
import { page, pageQuery } from './page.ts'

export const FolderUuid = Type.String({
  pattern: '^[1-9A-HJ-NP-Za-km-z]{11}$',
  description: 'Identifier of a folder: 11 characters, opaque.',
  examples: ['7Hq2kVnW4sD'],
})

/** Any text is taken: one that cannot be a folder's identifier names no folder. */
export const FolderReference = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: ['7Hq2kVnW4sD'],
})

/** What the specification shows of a folder. */
export const Folder = Type.Object({ title: Type.String(), uuid: FolderUuid }, { title: 'Folder' })
export type Folder = Type.Static<typeof Folder>

export const FolderDetails = Type.Object(
  {
    title: Type.String(),
    uuid: FolderUuid,
    parent: nullable(FolderUuid, 'The folder it lies in; null at the root.'),
    path: Type.Array(Folder, {
      description: 'The folders from the root down to its parent; empty at the root.',
    }),
    folder_count: Type.Integer({ description: 'How many folders lie directly in it.' }),
    asset_count: Type.Integer({ description: 'How many assets lie directly in it.' }),
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
    depth: Type.Integer({ description: '1 for the first level shown.' }),
    has_more: Type.Boolean({
      description: 'It has subfolders that this answer leaves out: ask for its own tree or list.',
    }),
  },
  { title: 'FolderTreeNode' },
)

const onFolder = Type.Object({ folder_uuid: FolderUuid })
const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))
const shared = { tag: 'Folders', idempotent: false } as const

export const createFolder = {
  ...shared,
  id: 'createFolder',
  method: 'POST',
  path: '/assets/folders/',
  summary: 'Create a folder',
  description: 'At the root, or in the folder given as `parent`. The same title may occur twice.',
  scope: 'folders:write',
  params: noParams,
  query: noQuery,
  body: bodyOf(
    {
      title: titleField,
      parent: Type.Optional(nullable(FolderReference, 'The folder to create it in.')),
    },
    { title: 'Lectures' },
  ),
  success: { status: 201, body: Folder },
  idempotent: true,
  errors: ['invalid_title', 'parent_not_found', 'folder_too_deep'],
} as const satisfies Operation

export const listFolders = {
  ...shared,
  id: 'listFolders',
  method: 'GET',
  path: '/assets/folders/',
  summary: 'List folders',
  description:
    'Every folder of the organization, at any depth, ordered by title (by code point), then uuid.',
  scope: 'folders:read',
  params: noParams,
  query: Type.Object(
    {
      q: searchText('Only folders whose title contains this text, whatever its case and accents.'),
      parent: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Only folders directly in this folder, or `root` for those at the root.',
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
  summary: 'Read a folder',
  description: 'With its path from the root and the number of folders and assets in it.',
  scope: 'folders:read',
  params: onFolder,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: FolderDetails },
  errors: ['folder_not_found'],
} as const satisfies Operation

export const renameFolder = {
  ...shared,
  id: 'renameFolder',
  method: 'PATCH',
  path: '/assets/folders/:folder_uuid/',
  summary: 'Rename a folder',
  description: 'Its identifier, place and contents stay as they are.',
  scope: 'folders:write',
  params: onFolder,
  query: noQuery,
  body: bodyOf({ title: titleField }, { title: 'Talks' }),
  success: { status: 200, body: FolderDetails },
  errors: ['folder_not_found', 'invalid_title'],
} as const satisfies Operation

export const moveFolder = {
  ...shared,
  id: 'moveFolder',
  method: 'POST',
  repeatable: true,
  path: '/assets/folders/:folder_uuid/move/',
  summary: 'Move a folder',
  description: 'Into another folder with all that it holds, or to the root with `parent` null.',
  scope: 'folders:write',
  params: onFolder,
  query: noQuery,
  body: bodyOf(
    { parent: nullable(FolderReference, 'Where to; null for the root.') },
    { parent: null },
  ),
  success: { status: 200, body: FolderDetails },
  errors: [
    'folder_not_found',
    'parent_not_found',
    'folder_into_itself',
    'folder_too_deep',
    'folder_too_large',
  ],
} as const satisfies Operation

export const deleteFolder = {
  ...shared,
  id: 'deleteFolder',
  method: 'DELETE',
  path: '/assets/folders/:folder_uuid/',
  summary: 'Delete a folder',
  description:
    'Only when it is empty, or with `recursive=true`: then everything in it goes, at most 10,000 folders and 1,000 assets, and a token needs `assets:write` as well if there are assets. Ask for the deletion preview first: it tells what would go.',
  scope: 'folders:write',
  params: onFolder,
  query: Type.Object(
    { recursive: flag('Delete the folders beneath it and the assets in all of them as well.') },
    closed,
  ),
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['folder_not_found', 'folder_not_empty', 'folder_too_large'],
} as const satisfies Operation

export const previewFolderDeletion = {
  ...shared,
  id: 'previewFolderDeletion',
  method: 'GET',
  path: '/assets/folders/:folder_uuid/deletion/',
  summary: 'See what deleting a folder would take',
  description: 'The dry run of a recursive deletion: it counts what would go and changes nothing.',
  scope: 'folders:read',
  params: onFolder,
  query: noQuery,
  body: undefined,
  success: {
    status: 200,
    body: Type.Object(
      {
        folder_count: Type.Integer({
          description: 'Folders that would go, this one included; counted up to 100,000.',
        }),
        asset_count: Type.Integer({
          description: 'Assets that would go; counted up to 100,000.',
        }),
        allowed: Type.Boolean({
          description: 'False when more would go than one request may delete.',
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
  summary: 'Read the folder tree',
  description:
    'The folders beneath the root, or beneath `parent`, level by level, as one list in the order in which a tree is drawn. At most 1,000 folders and 100 in each folder; `has_more` says where something is left out.',
  scope: 'folders:read',
  params: noParams,
  query: Type.Object(
    {
      parent: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'The folder to begin at; absent or `root` for the root.',
        }),
      ),
      depth: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 32, default: 3, description: 'Levels to show.' }),
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

/** In the order of the reference. */
export const operations = [
  createFolder,
  listFolders,
  readFolderTree,
  readFolder,
  renameFolder,
  moveFolder,
  previewFolderDeletion,
  deleteFolder,
] as const
