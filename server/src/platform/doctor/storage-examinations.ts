import type { BucketSettings } from '../storage/bucket-settings.ts'
import { explainSetupFault } from '../storage/setup-faults.ts'
import { type Examination, fault, fine, type Verdict, warning } from './finding.ts'
import { judgeClock } from './judge-clock.ts'

const RUN_SETUP = 'Run node server/src/main/setup-storage.ts; it deletes nothing.'

/** What everybody needs of storage. `who` asks: the names of the findings begin with it. */
export const storageExaminations = (who: string, settings: BucketSettings): Examination[] => [
  { name: `${who}-storage`, look: (signal) => greet(settings, signal) },
  ...(['uploads', 'media'] as const).map((bucket) => ({
    name: `${who}-${bucket}-bucket`,
    needs: `${who}-storage`,
    look: async (signal: AbortSignal) =>
      (await settings.exists(bucket, signal))
        ? fine(`The bucket ${settings.nameOf(bucket)} is there.`)
        : fault(`There is no bucket ${settings.nameOf(bucket)}.`, RUN_SETUP),
  })),
]

/** How the uploads bucket must be set, which one process looks at for all. */
export const bucketExaminations = (who: string, settings: BucketSettings): Examination[] =>
  (
    [
      ['versions', versions],
      ['abandoned-parts', abandonedParts],
      ['upload-origins', uploadOrigins],
    ] as const
  ).map(([name, look]) => ({
    name: `${who}-${name}`,
    needs: `${who}-uploads-bucket`,
    look: (signal) => look(settings, signal),
  }))

/** Storage tells its time with every answer. */
export const storageClockExamination = (who: string, endpoint: string): Examination => ({
  name: `${who}-storage-clock`,
  needs: `${who}-storage`,
  look: async (signal) => {
    const { headers } = await fetch(endpoint, { signal })
    const date = Date.parse(headers.get('date') ?? '')
    if (Number.isNaN(date)) return fine('Storage does not tell its time.')
    return judgeClock('storage', (date - Date.now()) / 1000)
  },
})

async function greet(settings: BucketSettings, signal: AbortSignal): Promise<Verdict> {
  try {
    await settings.greet(signal)
    return fine('Storage answers and knows our key.')
  } catch (error) {
    return fault(
      explainSetupFault(error as Error),
      'Mend STORAGE_ENDPOINT, STORAGE_ACCESS_KEY_ID or STORAGE_SECRET_ACCESS_KEY as it says, in the API and in every worker.',
    )
  }
}

async function versions(settings: BucketSettings, signal: AbortSignal): Promise<Verdict> {
  const { isKept, isWanted } = await settings.versions(signal)
  if (isKept && isWanted) return fine('The uploads bucket keeps versions.')
  if (isWanted)
    return fault('The uploads bucket does not keep versions, so nothing in it is safe.', RUN_SETUP)
  if (!isKept)
    return fine('The uploads bucket keeps no versions, and needs none: files come in parts.')
  return warning(
    'The uploads bucket keeps versions, and STORAGE_VERSIONS is off: what is deleted in it stays, and is paid for.',
    'Set STORAGE_VERSIONS=on in the API and in every worker, or use a bucket that has never kept versions.',
  )
}

async function abandonedParts(settings: BucketSettings, signal: AbortSignal): Promise<Verdict> {
  for (const bucket of ['uploads', 'media'] as const) {
    if (await settings.dropsAbandonedParts(bucket, signal)) continue
    return warning(
      `Parts that nobody went on with stay in the ${bucket} bucket for ever.`,
      RUN_SETUP,
    )
  }
  return fine('Parts that nobody went on with are deleted by storage.')
}

async function uploadOrigins(settings: BucketSettings, signal: AbortSignal): Promise<Verdict> {
  const origins = await settings.uploadOrigins(signal)
  if (origins.length > 0) return fine(`Browsers may upload from ${origins.join(', ')}.`)
  return fault(
    `The uploads bucket lets no page upload: its CORS rules allow no origin ${methodsOf(settings)}.`,
    `Set UPLOAD_ORIGINS if not every origin is to be allowed. ${RUN_SETUP}`,
  )
}

const methodsOf = ({ uploadMethods }: BucketSettings) =>
  uploadMethods.length > 1 ? `both ${uploadMethods.join(' and ')}` : uploadMethods.join()
