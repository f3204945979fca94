import { deleteAssetObjects } from '../../modules/assets/assets.ts'
import { cleanUpOutputs } from '../../modules/pipeline/pipeline.ts'
import { deleteTrackText } from '../../modules/subtitles/subtitles.ts'

/**
 * The jobs that delete objects. Jobs that ran at the source while objects were copied run at the destination again,
 * because the copy may be older.
 */
export const cleanupJobs = [deleteAssetObjects, cleanUpOutputs, deleteTrackText]
