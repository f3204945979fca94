import type { FolderUuid, PrincipalId } from './ids.ts'

/** The rows that a principal can see and change. Without limits: all rows of its organization. */
export type Limits = {
  /** Only this folder and everything below it. */
  readonly folderUuid?: FolderUuid
  /** Only assets and upload sessions that this principal created. */
  readonly createdBy?: PrincipalId
}
