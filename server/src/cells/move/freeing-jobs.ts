import { freeAssets } from '../../capabilities/assets/assets.ts'
import { tidyOutputs } from '../../capabilities/pipeline/pipeline.ts'
import { freeTrack } from '../../capabilities/subtitles/subtitles.ts'

/**
 * The jobs that delete objects. Jobs that ran at the source while objects were copied run at the destination again,
 * because the copy may be older.
 */
export const freeingJobs = [freeAssets, tidyOutputs, freeTrack]
