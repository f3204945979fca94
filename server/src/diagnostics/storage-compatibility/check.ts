/** Probes a storage in a separate bucket and deletes everything afterwards. */
import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { openClient, type StorageOptions } from '../../platform/storage/client.ts'
import { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import { cleanUp, deleteBucket } from './cleanup.ts'
import { environmentProbes } from './environment-probes.ts'
import { formProbes } from './form-probes.ts'
import { objectProbes } from './object-probes.ts'
import { partProbes } from './part-probes.ts'
import { type ProbeContext, ProbeFailure, type ProbeResult, runProbes } from './probe.ts'
import { versionProbes } from './version-probes.ts'

export type CompatibilityOptions = {
  /** An empty bucket to use; undefined to create one and delete it at the end. */
  readonly bucket: string | undefined
  readonly notifyAt: URL | undefined
  readonly spreadSecondsMax: number
}

export type CompatibilityCheck = {
  readonly results: readonly ProbeResult[]
  /** The bucket, if it could not be cleaned up or deleted. */
  readonly leftBucket: string | null
}

/** Key prefix of everything that the probes write. */
const PREFIX = 'reelkeep-check/'

export async function checkStorage(
  storage: StorageOptions,
  { bucket, ...probeOptions }: CompatibilityOptions,
  onResult: (result: ProbeResult) => void,
): Promise<CompatibilityCheck> {
  const name = bucket ?? `reelkeep-check-${randomBytes(6).toString('hex')}`
  const options = { ...storage, uploadsBucket: name, mediaBucket: name }
  const client = openClient(options.endpoint, options)
  using versioned = new UploadsBucket({ ...options, keepsVersions: true })
  using plain = new UploadsBucket({ ...options, keepsVersions: false })
  using media = new MediaBucket(options)
  const newKey = (purpose: string) => `${PREFIX}${purpose}/${randomBytes(6).toString('hex')}`
  const context: ProbeContext = {
    options,
    client,
    uploads: versioned,
    media,
    newKey,
    ...probeOptions,
  }
  await (bucket === undefined
    ? client.send(new CreateBucketCommand({ Bucket: name }))
    : assertEmpty(client, name))
  try {
    const results = await runAll(context, plain, onResult)
    const location = { client, bucket: name, prefix: PREFIX }
    const isClean = await cleanUp({ ...location, strategies: [versioned, plain] })
    const isDeleted = bucket === undefined ? await deleteBucket(client, name) : isClean
    return { results, leftBucket: isDeleted ? null : name }
  } finally {
    client.destroy()
  }
}

/** Objects first, before versioning is enabled; uploads with versioning if storage supports it. */
async function runAll(
  context: ProbeContext,
  plain: UploadsBucket,
  onResult: (result: ProbeResult) => void,
): Promise<ProbeResult[]> {
  const first = await runProbes([...objectProbes, ...versionProbes], context, onResult)
  const isVersioned = first
    .filter(({ need }) => need === 'versions')
    .every(({ state }) => state === 'passed')
  const uploads = isVersioned ? context.uploads : plain
  const rest = [...partProbes, ...formProbes, ...environmentProbes]
  return runProbes(rest, { ...context, uploads }, onResult, first)
}

/** The probes change the bucket's settings and delete its objects. */
async function assertEmpty(client: S3Client, Bucket: string): Promise<void> {
  const listing = client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }))
  const { KeyCount } = await listing.catch((error: Error) => {
    if (error.name !== 'NoSuchBucket') throw error
    throw new ProbeFailure(
      `The bucket ${Bucket} does not exist. Create it first, or omit --bucket to create one automatically.`,
    )
  })
  if (KeyCount !== 0)
    throw new ProbeFailure(`The bucket ${Bucket} is not empty. Use a bucket that contains nothing.`)
}
