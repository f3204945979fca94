import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** Folders for assets; they can be nested. */
export const folders = ({ call }: Caller) => ({
  /** Creates a folder at the root, or in `parent`. Titles need not be unique. */
  create: (body: BodyOf<'createFolder'>, options?: CallOptions) => call('createFolder', { body }, options),

  /** Lists all folders at any depth, ordered by title. */
  list: (query: QueryOf<'listFolders'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listFolders', { query: { ...query, ...cursor } }, options)),

  /** Returns the folders below the root or below `parent`, as a list in depth-first order. */
  tree: (query: QueryOf<'readFolderTree'> = {}, options?: UnkeyedOptions) => call('readFolderTree', { query }, options),

  /** Returns the folder with its path from the root and the number of folders and assets in it. */
  read: (uuid: string, options?: UnkeyedOptions) => call('readFolder', { params: { folder_uuid: uuid } }, options),

  /** Changes the given fields and keeps the others. */
  update: (uuid: string, body: BodyOf<'updateFolder'>, options?: UnkeyedOptions) =>
    call('updateFolder', { params: { folder_uuid: uuid }, body }, options),

  /** Moves the folder with its contents; `parent` null means the root. */
  move: (uuid: string, body: BodyOf<'moveFolder'>, options?: UnkeyedOptions) =>
    call('moveFolder', { params: { folder_uuid: uuid }, body }, options),

  /** Returns what `delete` with `recursive` would delete. */
  previewDeletion: (uuid: string, options?: UnkeyedOptions) =>
    call('previewFolderDeletion', { params: { folder_uuid: uuid } }, options),

  /** Moves an empty folder to the trash, or with `recursive` a folder with its contents. */
  delete: (uuid: string, query: QueryOf<'deleteFolder'> = {}, options?: UnkeyedOptions) =>
    call('deleteFolder', { params: { folder_uuid: uuid }, query }, options),

  /** Restores a folder from the trash, with everything that was deleted with it. */
  restore: (uuid: string, options?: UnkeyedOptions) =>
    call('restoreFolder', { params: { folder_uuid: uuid } }, options),
})
