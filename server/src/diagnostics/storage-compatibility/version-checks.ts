/** Versioning: an accepted file does not change when another is posted under its key. */
import { GetBucketVersioningCommand, PutBucketVersioningCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { assertBehavior, type CheckContext, type CompatibilityCheck } from './compatibility-check.ts'

const HINT =
  'Set STORAGE_FORMS=off and STORAGE_VERSIONS=off: files are then uploaded in parts, which cannot be replaced after completion.'

/** Contents of the two versions. Their sizes differ, so that they can be distinguished in a listing. */
const [FIRST, SECOND] = ['first', 'the second']

async function putBoth({ client, options, newKey }: CheckContext): Promise<string> {
  const key = newKey('versions')
  const object = { Bucket: options.uploadsBucket, Key: key }
  for (const Body of [FIRST, SECOND]) await client.send(new PutObjectCommand({ ...object, Body }))
  return key
}

async function findFirst({ uploads }: CheckContext, key: string) {
  const first = await uploads.findFirst(key, () => true)
  assertBehavior(first !== undefined, 'A key that was written twice is not listed.')
  return first
}

async function textOf({ uploads }: CheckContext, stored: Awaited<ReturnType<typeof findFirst>>) {
  const whole = { start: 0, end: stored.bytes }
  const chunks = await uploads.read(stored, whole, new AbortController().signal)
  return Buffer.concat(await Array.fromAsync(chunks)).toString()
}

const enabled: CompatibilityCheck = {
  name: 'versions',
  requirement: 'versions',
  hint: HINT,
  run: async ({ client, options }) => {
    const Bucket = options.uploadsBucket
    const VersioningConfiguration = { Status: 'Enabled' } as const
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket }))
    assertBehavior(Status === 'Enabled', `Versioning was enabled, but its status is ${Status ?? 'off'}.`)
    return 'Versioning can be enabled on a bucket.'
  },
}

const listed: CompatibilityCheck = {
  name: 'versions-listed',
  requirement: 'versions',
  needs: 'versions',
  hint: HINT,
  run: async (context) => {
    const first = await findFirst(context, await putBoth(context))
    assertBehavior(
      first.bytes === FIRST.length,
      'Versions are not listed newest first, so the first one cannot be determined.',
    )
    const text = await textOf(context, first)
    assertBehavior(text === FIRST, 'An earlier version differs from what was written.')
    return 'Versions are listed newest first, and earlier ones can be read.'
  },
}

const deletable: CompatibilityCheck = {
  name: 'versions-deleted',
  requirement: 'versions',
  needs: 'versions-listed',
  hint: HINT,
  run: async (context) => {
    const key = await putBoth(context)
    const first = await findFirst(context, key)
    assertBehavior(await context.uploads.deleteAll(key, first), 'Storage did not delete a version.')
    const text = await textOf(context, first)
    assertBehavior(text === FIRST, 'Deleting one version changed another.')
    await context.uploads.deleteAll(key)
    const left = await context.uploads.findFirst(key, () => true)
    assertBehavior(left === undefined, 'A version still existed after it was deleted.')
    return 'Single versions can be deleted.'
  },
}

export const versionChecks: readonly CompatibilityCheck[] = [enabled, listed, deletable]
