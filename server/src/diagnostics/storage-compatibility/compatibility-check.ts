/** Checks whether the service can run on this storage. docs/operations/storage.md lists the name of every check. */
import type { S3Client } from '@aws-sdk/client-s3'
import type { StorageOptions } from '../../platform/storage/client.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import { type Check, CheckFailure, ok } from '../checks.ts'

/**
 * The consequence of a failure. `required`: the storage is incompatible. `forms`, `versions`: files must be uploaded in
 * parts. `optional`: a warning.
 */
export type Requirement = 'required' | 'forms' | 'versions' | 'optional'

/** Access to the bucket in which the checks run, with the clients and options that the service uses. */
export type CheckContext = {
  readonly options: StorageOptions
  readonly client: S3Client
  readonly uploads: UploadsBucket
  readonly media: MediaBucket
  /** Returns a new, unused object key. */
  readonly newKey: (name: string) => string
  /** URL at which storage can reach this process, if any. */
  readonly notifyAt: URL | undefined
  /** Time limit for a CORS rule to take effect and for a notification to arrive. */
  readonly propagationSecondsMax: number
}

export type CompatibilityCheck = Pick<Check, 'name' | 'needs'> & {
  readonly requirement: Requirement
  /** What to do if the check fails. */
  readonly hint: string
  /** Returns a sentence about the observed behavior. Throws, preferably a `CheckFailure`, if it is wrong. */
  readonly run: (context: CheckContext) => Promise<string>
}

export function assertBehavior(isCorrect: boolean, failure: string): asserts isCorrect {
  if (!isCorrect) throw new CheckFailure(failure)
}

/** Time limit of a check; longer than any check takes on a slow but working storage. */
const CHECK_SECONDS_MAX = 60

export const toCheck = ({ requirement, run, ...check }: CompatibilityCheck, context: CheckContext): Check => ({
  ...check,
  secondsMax: CHECK_SECONDS_MAX,
  failureStatus: requirement === 'optional' ? 'warning' : 'failed',
  run: async () => {
    try {
      return ok(await run(context))
    } catch (error) {
      throw explained(error)
    }
  },
})

/** Describes an error of the S3 client with its status and code. */
function explained(error: unknown): unknown {
  if (error instanceof CheckFailure || !(error instanceof Error)) return error
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode
  // `UnknownError` is the S3 client's message for a response without a body.
  const message = error.message === 'UnknownError' ? '' : `: ${error.message}`
  return new CheckFailure(
    status === undefined
      ? `Storage did not respond (${error.name}${message}).`
      : `Storage responded with ${status} ${error.name}${message}.`,
  )
}
