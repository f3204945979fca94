import { readPlayerFiles } from '../capabilities/embedding/embedding.ts'
import { databaseExaminations } from '../platform/doctor/database-examinations.ts'
import { type Examination, fine, type Verdict, warning } from '../platform/doctor/finding.ts'
import {
  bucketExaminations,
  storageClockExamination,
  storageExaminations,
} from '../platform/doctor/storage-examinations.ts'
import { presenceExaminations } from '../platform/doctor/worker-presence.ts'
import { BucketSettings } from '../platform/storage/bucket-settings.ts'
import type { Context } from './context.ts'
import { notificationExamination } from './notification-examination.ts'
import { storageOptions } from './storage-options.ts'

const WHO = 'service'

/** What only the API's side can know: the database, the buckets and their settings, who works. */
export function apiExaminations({
  config,
  database,
}: Pick<Context, 'config' | 'database'>): Examination[] {
  const settings = new BucketSettings(storageOptions(config))
  return [
    ...databaseExaminations(WHO, database),
    ...storageExaminations(WHO, settings),
    ...bucketExaminations(WHO, settings),
    storageClockExamination(WHO, config.STORAGE_ENDPOINT),
    notificationExamination(
      WHO,
      settings,
      config.STORAGE_EVENTS_SECRET,
      config.STORAGE_FORMS === 'on',
    ),
    ...presenceExaminations(WHO, database),
    { name: `${WHO}-player`, look: async () => judgePlayer(config.PLAYER_FOLDER) },
  ]
}

const judgePlayer = (folder: string): Verdict =>
  readPlayerFiles(folder).pageScript === undefined
    ? warning(
        'The player is not built, so the hosted page is answered with 503.',
        'Run pnpm build:player (after a --prod install as “Starting” in docs/operations/running.md says), set PLAYER_FOLDER if it lies elsewhere, and restart the API.',
      )
    : fine('The player is built.')
