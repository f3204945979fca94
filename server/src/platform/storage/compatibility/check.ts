/** Tries a storage in a bucket that is for nothing else, and clears it again. */
import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { openClient, type StorageOptions } from '../client.ts'
import { MediaBucket } from '../media-bucket.ts'
import { UploadsBucket } from '../uploads-bucket.ts'
import { clear, deleteBucket } from './clearing.ts'
import { formTrials } from './form-trials.ts'
import { objectTrials } from './object-trials.ts'
import { partTrials } from './part-trials.ts'
import { surroundingsTrials } from './surroundings-trials.ts'
import { type Bench, type Result, runTrials, Shortcoming } from './trial.ts'
import { versionTrials } from './version-trials.ts'

export type CheckWish = {
  /** An empty bucket that may be used; undefined: one is made, and deleted in the end. */
  readonly bucket: string | undefined
  readonly notifyAt: URL | undefined
  readonly spreadSecondsMax: number
}

export type Checked = {
  readonly results: readonly Result[]
  /** The bucket, if something of the trials could not be taken out of it again. */
  readonly leftBucket: string | null
}

/** All that the trials write begins with it. */
const PREFIX = 'reelkeep-check/'

export async function checkStorage(
  storage: StorageOptions,
  { bucket, ...wish }: CheckWish,
  onResult: (result: Result) => void,
): Promise<Checked> {
  const name = bucket ?? `reelkeep-check-${randomBytes(6).toString('hex')}`
  const options = { ...storage, uploadsBucket: name, mediaBucket: name }
  const client = openClient(options.endpoint, options)
  using versioned = new UploadsBucket({ ...options, keepsVersions: true })
  using plain = new UploadsBucket({ ...options, keepsVersions: false })
  using media = new MediaBucket(options)
  const newKey = (purpose: string) => `${PREFIX}${purpose}/${randomBytes(6).toString('hex')}`
  const bench: Bench = { options, client, uploads: versioned, media, newKey, ...wish }
  await (bucket === undefined
    ? client.send(new CreateBucketCommand({ Bucket: name }))
    : assertEmpty(client, name))
  try {
    const results = await tryAll(bench, plain, onResult)
    const place = { client, bucket: name, prefix: PREFIX }
    const isCleared = await clear({ ...place, ways: [versioned, plain] })
    const isGone = bucket === undefined ? await deleteBucket(client, name) : isCleared
    return { results, leftBucket: isGone ? null : name }
  } finally {
    client.destroy()
  }
}

/** Objects first, as long as the bucket keeps no versions; files by whatever can be had of those. */
async function tryAll(
  bench: Bench,
  plain: UploadsBucket,
  onResult: (result: Result) => void,
): Promise<Result[]> {
  const first = await runTrials([...objectTrials, ...versionTrials], bench, onResult)
  const isVersioned = first
    .filter(({ need }) => need === 'versions')
    .every(({ state }) => state === 'passed')
  const uploads = isVersioned ? bench.uploads : plain
  const rest = [...partTrials, ...formTrials, ...surroundingsTrials]
  return runTrials(rest, { ...bench, uploads }, onResult, first)
}

/** The trials change how a bucket is set, and delete what they find. */
async function assertEmpty(client: S3Client, Bucket: string): Promise<void> {
  const listing = client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }))
  const { KeyCount } = await listing.catch((error: Error) => {
    if (error.name !== 'NoSuchBucket') throw error
    throw new Shortcoming(
      `There is no bucket ${Bucket}. Make it first, or leave --bucket out: then one is made for the trials.`,
    )
  })
  if (KeyCount !== 0)
    throw new Shortcoming(`The bucket ${Bucket} is not empty. Give one that is for nothing else.`)
}
