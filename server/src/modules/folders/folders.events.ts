/** Events about folders. */
import { about, type NewEvent } from '../events/events.ts'
import type { Folder } from './folders.rules.ts'

export type FolderSummary = Pick<Folder, 'uuid' | 'title' | 'parentUuid' | 'externalId' | 'metadata' | 'purgeAt'>

export const folderCreated = (folder: FolderSummary): NewEvent =>
  about(folder.uuid, { type: 'folder.created', data: dataOf(folder) })

/** A field of the folder was changed, or the folder was moved. */
export const folderUpdated = (folder: FolderSummary): NewEvent =>
  about(folder.uuid, { type: 'folder.updated', data: dataOf(folder) })

/** The folder was moved to the trash, or purged without having been in the trash. */
export const folderDeleted = (folder: FolderSummary): NewEvent =>
  about(folder.uuid, { type: 'folder.deleted', data: dataOf(folder) })

export const folderRestored = (folder: FolderSummary): NewEvent =>
  about(folder.uuid, { type: 'folder.restored', data: dataOf(folder) })

/** The folder was removed from the trash. */
export const folderPurged = (folder: FolderSummary): NewEvent =>
  about(folder.uuid, { type: 'folder.purged', data: dataOf(folder) })

const dataOf = ({ uuid, title, parentUuid, externalId, metadata, purgeAt }: FolderSummary) => ({
  uuid,
  title,
  parent: parentUuid,
  purge_at: purgeAt,
  external_id: externalId,
  metadata,
})
