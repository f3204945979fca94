/**
 * The key that signs forms and part URLs. Many storage services honor `x-amz-copy-source` on the URL of a part although
 * it is not signed: a client can then copy every object that the key may read, and see which objects exist.
 */
import { randomBytes } from 'node:crypto'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { Timestamp } from '../../kernel/time.ts'
import { openClient, withUploadKey } from '../../platform/storage/client.ts'
import { allowUploadKey } from '../../platform/storage/setup/upload-key.ts'
import { CheckFailure } from '../checks.ts'
import { assertBehavior, type CheckContext, type CompatibilityCheck } from './compatibility-check.ts'

const VALIDITY_SECONDS = 600
/** Sizes that differ, so that a copied part is recognized. */
const [PART_BYTES, SOURCE_BYTES] = [1000, 2000]

const SEE_PAGE = 'See “The upload key” in docs/operations/storage.md.'

const uploadKey: CompatibilityCheck = {
  name: 'upload-key',
  requirement: 'required',
  hint: `Correct STORAGE_UPLOAD_ACCESS_KEY_ID and STORAGE_UPLOAD_SECRET_ACCESS_KEY. ${SEE_PAGE}`,
  run: async (context) => {
    const access = await allowUploadKey(context.options)
    if (access === 'not set') return 'No upload key is set: the main key signs uploads.'
    await putAsUploader(context, context.newKey('upload-key')).catch((error: Error) => {
      throw new CheckFailure(
        `The upload key may not put objects into ${context.options.uploadsBucket} (${error.name}).`,
      )
    })
    return access === 'bucket policy'
      ? 'The upload key may put objects, by the policy of the bucket.'
      : 'The upload key may put objects, by its own policy.'
  },
}

const partsCopy: CompatibilityCheck = {
  name: 'parts-copy',
  requirement: 'required',
  needs: 'upload-key',
  hint: `With the URL of a part, a client could read the files of other organizations, or find out which files exist. Set STORAGE_UPLOAD_ACCESS_KEY_ID and STORAGE_UPLOAD_SECRET_ACCESS_KEY to a key that may only put objects. ${SEE_PAGE}`,
  run: async (context) => {
    const [stored, uploaded] = [context.newKey('stored'), context.newKey('uploaded')]
    await context.media.put({ key: stored, body: randomBytes(SOURCE_BYTES), type: 'application/octet-stream' })
    // On some storage services the user of the upload key owns what it put, and may read that.
    await putAsUploader(context, uploaded)
    const sources = {
      'an object that does not exist': context.newKey('missing'),
      'an object of the service': stored,
      'an uploaded object': uploaded,
    }
    const answers = new Set<string>()
    for (const [what, key] of Object.entries(sources)) {
      const { outcome, answer } = await copyPart(context, key)
      assertBehavior(
        outcome !== 'read',
        `The URL of a part accepts x-amz-copy-source: for ${what}, storage answered ${answer}.`,
      )
      answers.add(answer)
    }
    assertBehavior(
      answers.size === 1,
      `The answer to x-amz-copy-source shows whether an object exists: ${[...answers].join(' or ')}.`,
    )
    return `The URL of a part copies no other object (${[...answers].join()}).`
  },
}

async function putAsUploader({ options }: CheckContext, Key: string): Promise<void> {
  const client = openClient(options.endpoint, withUploadKey(options))
  try {
    const Body = randomBytes(SOURCE_BYTES)
    await client.send(new PutObjectCommand({ Bucket: options.uploadsBucket, Key, Body }))
  } finally {
    client.destroy()
  }
}

type CopyAttempt = {
  /** `ignored`: storage stored the bytes of the request instead. */
  readonly outcome: 'refused' | 'ignored' | 'read'
  /** Status and error code. */
  readonly answer: string
}

/** Asks storage to copy the object into a part, with a URL as clients get it. */
async function copyPart({ uploads, options, newKey }: CheckContext, source: string): Promise<CopyAttempt> {
  const upload = await uploads.multipart.begin(newKey('copied'))
  const from = new Date().toISOString() as Timestamp
  const part = { number: 1, bytes: PART_BYTES }
  const url = await uploads.multipart.sign(upload, part, { from, seconds: VALIDITY_SECONDS })
  const headers = { 'x-amz-copy-source': `/${options.uploadsBucket}/${source}` }
  const response = await fetch(url, { method: 'PUT', headers, body: randomBytes(PART_BYTES) })
  const [, code = ''] = /<Code>(\w+)<\/Code>/.exec(await response.text()) ?? []
  const answer = `${response.status} ${code}`.trim()
  if (response.status === 403 || code === 'AccessDenied') return { outcome: 'refused', answer }
  const [stored] = (await uploads.multipart.list(upload)) ?? []
  return { outcome: response.ok && stored?.bytes === PART_BYTES ? 'ignored' : 'read', answer }
}

export const uploadKeyChecks: readonly CompatibilityCheck[] = [uploadKey, partsCopy]
