import {
  deleteAddedObjects,
  deleteAssetObjects,
  deleteCoverObject,
  deleteCoverUpload,
} from '../../modules/assets/assets.ts'
import { cleanUpOutputs } from '../../modules/pipeline/pipeline.ts'
import { deleteTrackText } from '../../modules/subtitles/subtitles.ts'
import { deleteVersionFile } from '../../modules/versions/versions.ts'

/**
 * The jobs that delete objects. If one ran at the source while objects were copied, it runs again at the destination,
 * because objects may have been copied before it deleted them.
 */
export const cleanupJobs = [
  deleteAssetObjects,
  deleteAddedObjects,
  cleanUpOutputs,
  deleteTrackText,
  deleteCoverObject,
  deleteCoverUpload,
  deleteVersionFile,
]
