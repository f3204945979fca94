/** Checks a storage service in a separate bucket and deletes everything afterwards. */
import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { openClient, type StorageOptions } from '../../platform/storage/client.ts'
import { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import { CheckFailure, type CheckResult, runChecks } from '../checks.ts'
import { cleanUp, deleteBucket } from './cleanup.ts'
import type { CompatibilityResult } from './compatibility.rules.ts'
import { type CheckContext, type CompatibilityCheck, toCheck } from './compatibility-check.ts'
import { environmentChecks } from './environment-checks.ts'
import { formChecks } from './form-checks.ts'
import { objectChecks } from './object-checks.ts'
import { partChecks } from './part-checks.ts'
import { uploadKeyChecks } from './upload-key-checks.ts'
import { versionChecks } from './version-checks.ts'

export type CompatibilityOptions = {
  /** An empty bucket to use; undefined to create one and delete it at the end. */
  readonly bucket: string | undefined
  readonly notifyAt: URL | undefined
  readonly propagationSecondsMax: number
}

type CheckedStorage = {
  readonly results: readonly CompatibilityResult[]
  /** Name of the bucket of the checks, if it could not be cleaned up or deleted. */
  readonly leftoverBucket: string | null
}

type OnResult = (result: CheckResult) => void

/** Key prefix of everything that the checks write. */
const PREFIX = 'reelkeep-check/'

export async function checkCompatibility(
  storage: StorageOptions,
  { bucket, ...limits }: CompatibilityOptions,
  onResult: OnResult,
): Promise<CheckedStorage> {
  const name = bucket ?? `reelkeep-check-${randomBytes(6).toString('hex')}`
  const options = { ...storage, uploadsBucket: name, mediaBucket: name }
  const client = openClient(options.endpoint, options)
  using versioned = new UploadsBucket({ ...options, keepsVersions: true })
  using plain = new UploadsBucket({ ...options, keepsVersions: false })
  using media = new MediaBucket(options)
  const newKey = (purpose: string) => `${PREFIX}${purpose}/${randomBytes(6).toString('hex')}`
  const context = { options, client, uploads: versioned, media, newKey, ...limits }
  await (bucket === undefined ? client.send(new CreateBucketCommand({ Bucket: name })) : assertEmpty(client, name))
  try {
    const results = await runAll(context, plain, onResult)
    const location = { client, bucket: name, prefix: PREFIX }
    const isClean = await cleanUp({ ...location, strategies: [versioned, plain] })
    const isDeleted = bucket === undefined ? await deleteBucket(client, name) : isClean
    return { results, leftoverBucket: isDeleted ? null : name }
  } finally {
    client.destroy()
  }
}

/**
 * Runs the object checks first, before versioning is enabled, then the upload checks, with versioning if storage
 * supports it.
 */
async function runAll(context: CheckContext, plain: UploadsBucket, onResult: OnResult): Promise<CompatibilityResult[]> {
  const first = await runInOrder([...objectChecks, ...versionChecks], context, onResult)
  const isVersioned = first
    .filter(({ requirement }) => requirement === 'versions')
    .every(({ status }) => status === 'ok')
  const uploads = isVersioned ? context.uploads : plain
  const others = [...uploadKeyChecks, ...partChecks, ...formChecks, ...environmentChecks]
  return [...first, ...(await runInOrder(others, { ...context, uploads }, onResult))]
}

async function runInOrder(
  checks: readonly CompatibilityCheck[],
  context: CheckContext,
  onResult: OnResult,
): Promise<CompatibilityResult[]> {
  const results = await runChecks(
    checks.map((check) => toCheck(check, context)),
    { order: 'sequential', secondsMax: Number.POSITIVE_INFINITY, onResult },
  )
  const requirements = new Map(checks.map(({ name, requirement }) => [name, requirement]))
  return results.map((result) => ({
    ...result,
    requirement: requirements.get(result.name) ?? 'required',
  }))
}

/** Throws unless the bucket is empty, because the checks change its settings and delete its objects. */
async function assertEmpty(client: S3Client, Bucket: string): Promise<void> {
  const listing = client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }))
  const { KeyCount } = await listing.catch((error: Error) => {
    if (error.name !== 'NoSuchBucket') throw error
    throw new CheckFailure(
      `The bucket ${Bucket} does not exist. Create it first, or omit --bucket to create one automatically.`,
    )
  })
  if (KeyCount !== 0) throw new CheckFailure(`The bucket ${Bucket} is not empty. Use a bucket that contains nothing.`)
}
