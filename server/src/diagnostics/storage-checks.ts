import type { BucketSettings } from '../platform/storage/setup/bucket-settings.ts'
import { explainSetupError } from '../platform/storage/setup/setup-errors.ts'
import { type Check, type CheckOutcome, failed, ok, warning } from './checks.ts'
import { checkClock } from './clock-check.ts'

const RUN_SETUP = 'Run node server/src/main/setup-storage.ts; it deletes nothing.'

/** Checks of the storage access that every process needs. The names of the results begin with `prefix`. */
export const storageChecks = (prefix: string, settings: BucketSettings): Check[] => [
  { name: `${prefix}-storage`, run: (signal) => ping(settings, signal) },
  ...(['uploads', 'media'] as const).map((bucket) => ({
    name: `${prefix}-${bucket}-bucket`,
    needs: `${prefix}-storage`,
    run: async (signal: AbortSignal) =>
      (await settings.exists(bucket, signal))
        ? ok(`The bucket ${settings.nameOf(bucket)} exists.`)
        : failed(`The bucket ${settings.nameOf(bucket)} does not exist.`, RUN_SETUP),
  })),
]

/** Settings of the uploads bucket; only the API checks them. */
export const bucketChecks = (prefix: string, settings: BucketSettings): Check[] =>
  (
    [
      ['versions', versions],
      ['abandoned-parts', abandonedParts],
      ['upload-origins', uploadOrigins],
      ['upload-key', uploadKey],
    ] as const
  ).map(([name, run]) => ({
    name: `${prefix}-${name}`,
    needs: `${prefix}-uploads-bucket`,
    run: (signal) => run(settings, signal),
  }))

/** Reads storage's time from the `Date` header. */
export const storageClockCheck = (prefix: string, endpoint: string): Check => ({
  name: `${prefix}-storage-clock`,
  needs: `${prefix}-storage`,
  run: async (signal) => {
    const { headers } = await fetch(endpoint, { signal })
    const date = Date.parse(headers.get('date') ?? '')
    if (Number.isNaN(date)) return ok('Storage sends no `Date` header.')
    return checkClock('storage', (date - Date.now()) / 1000)
  },
})

async function ping(settings: BucketSettings, signal: AbortSignal): Promise<CheckOutcome> {
  try {
    await settings.ping(signal)
    return ok('Storage responds and accepts the access key.')
  } catch (error) {
    return failed(
      explainSetupError(error as Error),
      'Correct STORAGE_ENDPOINT, STORAGE_ACCESS_KEY_ID or STORAGE_SECRET_ACCESS_KEY for the API and every worker.',
    )
  }
}

async function versions(settings: BucketSettings, signal: AbortSignal): Promise<CheckOutcome> {
  const { isEnabled, isRequired } = await settings.versions(signal)
  if (isEnabled && isRequired) return ok('Versioning is enabled on the uploads bucket.')
  if (isRequired)
    return failed('Versioning is disabled on the uploads bucket: a later upload can replace a file.', RUN_SETUP)
  if (!isEnabled)
    return ok('Versioning is disabled on the uploads bucket, and not needed: files are uploaded in parts.')
  return warning(
    'Versioning is enabled on the uploads bucket, but STORAGE_VERSIONS is off: deleted files stay stored and billed.',
    'Set STORAGE_VERSIONS=on for the API and every worker, or use a bucket without versions.',
  )
}

async function abandonedParts(settings: BucketSettings, signal: AbortSignal): Promise<CheckOutcome> {
  for (const bucket of ['uploads', 'media'] as const) {
    if (await settings.deletesAbandonedParts(bucket, signal)) continue
    return warning(`Abandoned parts stay in the ${bucket} bucket forever.`, RUN_SETUP)
  }
  return ok('Storage deletes abandoned parts.')
}

async function uploadOrigins(settings: BucketSettings, signal: AbortSignal): Promise<CheckOutcome> {
  const origins = await settings.uploadOrigins(signal)
  if (origins.length > 0) return ok(`Browsers may upload from ${origins.join(', ')}.`)
  return failed(
    `Browsers cannot upload: the CORS rules of the uploads bucket allow no origin to use ${methodsOf(settings)}.`,
    `To allow only some origins, set UPLOAD_ORIGINS. ${RUN_SETUP}`,
  )
}

const UPLOAD_KEY_PAGE = '“The upload key” in docs/operations/storage.md'

async function uploadKey(settings: BucketSettings, signal: AbortSignal): Promise<CheckOutcome> {
  try {
    const rights = await settings.uploadKeyRights(signal)
    if (rights === undefined)
      return warning(
        'No upload key is set, so the main key, which can read every file, signs uploads.',
        `Create a key that may only put objects: ${UPLOAD_KEY_PAGE}.`,
      )
    if (!rights.puts) return failed('The upload key may not put objects, so every upload fails.', RUN_SETUP)
    if (!rights.reads) return ok('The upload key can put objects and cannot read files.')
    return failed(
      'The upload key can read files: with the URL of a part, a client could copy the files of other organizations.',
      `Restrict the key to putting objects: ${UPLOAD_KEY_PAGE}.`,
    )
  } catch (error) {
    return failed(
      `Storage refuses the upload key (${(error as Error).name}).`,
      'Correct STORAGE_UPLOAD_ACCESS_KEY_ID or STORAGE_UPLOAD_SECRET_ACCESS_KEY for the API.',
    )
  }
}

const methodsOf = ({ uploadMethods }: BucketSettings) =>
  uploadMethods.length > 1 ? `both ${uploadMethods.join(' and ')}` : uploadMethods.join()
