import { moonshine, openAiCompatible, type Recogniser } from '@reelkeep/media'
import type { WorkerConfig } from '../platform/config/env.ts'

/** Of the processor, for one video: a worker encodes beside it, and large machines run several workers. */
const MOONSHINE_THREADS = 1

type RecogniserConfig = Pick<
  WorkerConfig,
  'RECOGNISER' | 'RECOGNISER_URL' | 'RECOGNISER_KEY' | 'RECOGNISER_MODEL'
>

/** Undefined where the operator wants none. */
export function recogniserOf(config: RecogniserConfig): Recogniser | undefined {
  if (config.RECOGNISER === 'moonshine') return moonshine({ threads: MOONSHINE_THREADS })
  if (config.RECOGNISER === 'none' || config.RECOGNISER_URL === undefined) return undefined
  return openAiCompatible({
    ...{ url: config.RECOGNISER_URL, model: config.RECOGNISER_MODEL },
    ...(config.RECOGNISER_KEY === undefined ? {} : { key: config.RECOGNISER_KEY }),
  })
}
