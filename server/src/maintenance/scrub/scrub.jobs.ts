import type { PublishedFiles } from '../../modules/published-files/published-files.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import { reconcileMedia } from './reconcile-media.ts'
import { scrub } from './scrub.ts'
import type { ScrubMetrics } from './scrub-metrics.ts'

const DAY_SECONDS = 86_400
const SCRUB_EVERY_SECONDS = 900
/** A run reads no further files after this time; if storage is slow, it reads less than its budget. */
const SCRUB_SECONDS_MAX = 600
/** A file is read once in this time at most, also if the budget allows more. */
const CHECK_EVERY_SECONDS = 7 * DAY_SECONDS

type Dependencies = {
  readonly media: MediaBucket
  readonly uploads: UploadsBucket
  readonly metrics: ScrubMetrics
  /** Budget of the scrub; 0 turns it off. */
  readonly bytesPerDay: number
}

export const scrubSchedules = (database: Database, dependencies: Dependencies): Schedule[] => [
  {
    name: 'scrub-storage',
    everySeconds: SCRUB_EVERY_SECONDS,
    runSecondsMax: SCRUB_EVERY_SECONDS,
    run: async ({ signal, logger }) => {
      const { media, metrics, bytesPerDay } = dependencies
      await scrub(database, media, {
        before: new Date(Date.now() - CHECK_EVERY_SECONDS * 1000),
        bytesMax: (bytesPerDay * SCRUB_EVERY_SECONDS) / DAY_SECONDS,
        ...{ signal, ending: AbortSignal.timeout(SCRUB_SECONDS_MAX * 1000) },
        onRead: metrics.countRead,
        onDamaged: reportDamage(metrics, logger),
      })
    },
  },
  {
    name: 'reconcile-storage',
    everySeconds: DAY_SECONDS,
    runSecondsMax: DAY_SECONDS / 2,
    run: async ({ signal, logger }) => {
      const { media, uploads, metrics } = dependencies
      const onDamaged = reportDamage(metrics, logger)
      const result = await reconcileMedia(database, { media, uploads }, { signal, onDamaged, now: new Date() })
      logger.info(result, 'compared storage with the database')
    },
  },
]

const reportDamage =
  (metrics: ScrubMetrics, logger: Logger) =>
  ({ assetId, prefix }: PublishedFiles, damaged: readonly string[]) => {
    metrics.countDamaged(damaged.length)
    logger.error({ asset_id: assetId, prefix, files: damaged.slice(0, 20) }, 'published files are damaged')
  }
