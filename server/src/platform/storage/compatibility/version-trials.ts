/** Versions, by which a file that has been taken stays what it is, whatever is posted later. */
import {
  GetBucketVersioningCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { assertSeen, type Bench, type Trial } from './trial.ts'

const CURE =
  'Set STORAGE_FORMS=off and STORAGE_VERSIONS=off: files then come in parts, which the service joins once, so nothing replaces them.'

/** Of different lengths, so that a list tells which is which. */
const [FIRST, SECOND] = ['first', 'the second']

async function putBoth({ client, options, newKey }: Bench): Promise<string> {
  const key = newKey('versions')
  const object = { Bucket: options.uploadsBucket, Key: key }
  for (const Body of [FIRST, SECOND]) await client.send(new PutObjectCommand({ ...object, Body }))
  return key
}

async function findFirst({ uploads }: Bench, key: string) {
  const first = await uploads.findFirst(key, () => true)
  assertSeen(first !== undefined, 'Nothing is listed under a key that was written twice.')
  return first
}

async function textOf({ uploads }: Bench, stored: Awaited<ReturnType<typeof findFirst>>) {
  const whole = { start: 0, end: stored.bytes }
  const chunks = await uploads.read(stored, whole, new AbortController().signal)
  return Buffer.concat(await Array.fromAsync(chunks)).toString()
}

const kept: Trial = {
  name: 'versions',
  need: 'versions',
  cure: CURE,
  attempt: async ({ client, options }) => {
    const Bucket = options.uploadsBucket
    const VersioningConfiguration = { Status: 'Enabled' } as const
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket }))
    assertSeen(Status === 'Enabled', `Versions were switched on, and are ${Status ?? 'off'}.`)
    return 'A bucket can be told to keep versions.'
  },
}

const listed: Trial = {
  name: 'versions-listed',
  need: 'versions',
  after: 'versions',
  cure: CURE,
  attempt: async (bench) => {
    const first = await findFirst(bench, await putBoth(bench))
    assertSeen(
      first.bytes === FIRST.length,
      'Versions are not listed with the newest first, so nobody can tell which came first.',
    )
    const text = await textOf(bench, first)
    assertSeen(text === FIRST, 'An earlier version is not what was written.')
    return 'What was written first is listed last, and read as it was.'
  },
}

const freed: Trial = {
  name: 'versions-freed',
  need: 'versions',
  after: 'versions-listed',
  cure: CURE,
  attempt: async (bench) => {
    const key = await putBoth(bench)
    const first = await findFirst(bench, key)
    assertSeen(await bench.uploads.free(key, first), 'Storage did not delete a version.')
    const text = await textOf(bench, first)
    assertSeen(text === FIRST, 'Deleting one version changed another.')
    await bench.uploads.free(key)
    const left = await bench.uploads.findFirst(key, () => true)
    assertSeen(left === undefined, 'A version was still there after it was deleted.')
    return 'Versions are deleted one by one.'
  },
}

export const versionTrials: readonly Trial[] = [kept, listed, freed]
