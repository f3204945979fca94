/** Events about folders. */
import { about, type NewEvent } from '../events/events.ts'
import type { Folder } from './folders.rules.ts'

export type FolderSummary = Pick<Folder, 'uuid' | 'title' | 'parentUuid' | 'externalId' | 'metadata'>

export const folderCreated = (folder: FolderSummary): NewEvent =>
  about(folder.uuid, { type: 'folder.created', data: dataOf(folder) })

/** A field of the folder was changed, or the folder was moved. */
export const folderUpdated = (folder: FolderSummary): NewEvent =>
  about(folder.uuid, { type: 'folder.updated', data: dataOf(folder) })

export const folderDeleted = (folder: FolderSummary): NewEvent =>
  about(folder.uuid, { type: 'folder.deleted', data: dataOf(folder) })

const dataOf = ({ uuid, title, parentUuid, externalId, metadata }: FolderSummary) => ({
  uuid,
  title,
  parent: parentUuid,
  external_id: externalId,
  metadata,
})
