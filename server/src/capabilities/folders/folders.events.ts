/** What folders tell. */
import { about, type NewEvent } from '../events/events.ts'
import type { Folder } from './folders.rules.ts'

export type ToldFolder = Pick<Folder, 'uuid' | 'title' | 'parentUuid'>

export const folderCreated = (folder: ToldFolder): NewEvent =>
  about(folder.uuid, { type: 'folder.created', data: dataOf(folder) })

/** It has another title, or lies elsewhere. */
export const folderUpdated = (folder: ToldFolder): NewEvent =>
  about(folder.uuid, { type: 'folder.updated', data: dataOf(folder) })

export const folderDeleted = (folder: ToldFolder): NewEvent =>
  about(folder.uuid, { type: 'folder.deleted', data: dataOf(folder) })

const dataOf = ({ uuid, title, parentUuid }: ToldFolder) => ({ uuid, title, parent: parentUuid })
