import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** Folders keep order among assets; they nest. */
export const folders = ({ call }: Caller) => ({
  /** At the root, or in the folder given as `parent`. The same title may occur twice. */
  create: (body: BodyOf<'createFolder'>, options?: CallOptions) =>
    call('createFolder', { body }, options),

  /** Every folder at any depth, ordered by title. */
  list: (query: QueryOf<'listFolders'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listFolders', { query: { ...query, ...cursor } }, options)),

  /** The folders beneath the root or beneath `parent`, as one list in the order in which a tree is drawn. */
  tree: (query: QueryOf<'readFolderTree'> = {}, options?: UnkeyedOptions) =>
    call('readFolderTree', { query }, options),

  /** With its path from the root and the number of folders and assets in it. */
  read: (uuid: string, options?: UnkeyedOptions) =>
    call('readFolder', { params: { folder_uuid: uuid } }, options),

  rename: (uuid: string, body: BodyOf<'renameFolder'>, options?: UnkeyedOptions) =>
    call('renameFolder', { params: { folder_uuid: uuid }, body }, options),

  /** With all that it holds; to the root with `parent` null. */
  move: (uuid: string, body: BodyOf<'moveFolder'>, options?: UnkeyedOptions) =>
    call('moveFolder', { params: { folder_uuid: uuid }, body }, options),

  /** What `delete` with `recursive` would take. */
  previewDeletion: (uuid: string, options?: UnkeyedOptions) =>
    call('previewFolderDeletion', { params: { folder_uuid: uuid } }, options),

  /** Only when it is empty, or with everything in it if `recursive` is true. */
  delete: (uuid: string, query: QueryOf<'deleteFolder'> = {}, options?: UnkeyedOptions) =>
    call('deleteFolder', { params: { folder_uuid: uuid }, query }, options),
})
