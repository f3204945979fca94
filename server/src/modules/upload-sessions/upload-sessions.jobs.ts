import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { sweep } from './sweep/upload-sweep.ts'
import type { Uploads } from './upload-sessions.ts'

/** Limit for a sweep with slow storage. Sessions that it did not reach stay due. */
const SWEEP_SECONDS_MAX = 120

export const uploadSchedules = (uploads: Uploads, database: Database, everySeconds: number): Schedule[] => [
  {
    name: 'sweep-upload-sessions',
    everySeconds,
    runSecondsMax: SWEEP_SECONDS_MAX,
    run: async ({ signal, logger }) => {
      const swept = await sweep(uploads, database, signal, (err, session) =>
        logger.warn(
          { err, organization_id: session.organizationId, session: session.uuid },
          'failed to check upload session',
        ),
      )
      if (swept.checks > 0) logger.debug(swept, 'checked upload sessions')
    },
  },
]
