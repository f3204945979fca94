import { freeAssets } from '../../capabilities/assets/assets.ts'
import { tidyOutputs } from '../../capabilities/pipeline/pipeline.ts'
import { freeTrack } from '../../capabilities/subtitles/subtitles.ts'

/**
 * The jobs that delete objects. One that was done at the source while objects were copied is done
 * at the destination as well: the copy may be older.
 */
export const freeingJobs = [freeAssets, tidyOutputs, freeTrack]
