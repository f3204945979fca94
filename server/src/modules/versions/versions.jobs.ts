import { type Handler, handle } from '../../platform/jobs/handler.ts'
import { activateVersionJob, deleteOldVersionsJob, type FormLifetime } from '../assets/assets.ts'
import { deleteVersionFile } from './version-files.ts'
import { activateCompleted, deleteUnclippedVersions } from './versions.ts'

/** The bucket of uploaded files. `deleteAll` returns whether nothing is left. */
type FileBucket = { deleteAll(prefix: string): Promise<boolean> }

export const versionHandlers = (settings: FormLifetime, uploads: FileBucket): Handler[] => [
  handle(activateVersionJob, ({ db, input }) => activateCompleted(settings, db, input)),
  handle(deleteOldVersionsJob, ({ db, input }) => deleteUnclippedVersions(settings, db, input.assetId)),
  handle(deleteVersionFile, async ({ input: { key }, signal }) => {
    do signal.throwIfAborted()
    while (!(await uploads.deleteAll(key)))
  }),
]
