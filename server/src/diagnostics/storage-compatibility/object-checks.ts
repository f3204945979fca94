/** Objects: how processed media are stored and delivered. */
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { openClient } from '../../platform/storage/client.ts'
import { versionsUnder } from '../../platform/storage/listing.ts'
import type { OpenObject } from '../../platform/storage/media-bucket.ts'
import { CheckFailure } from '../checks.ts'
import { assertBehavior, type CheckContext, type CompatibilityCheck } from './compatibility-check.ts'

/** Number of objects that each check writes, because a stale replica serves only some of the requests. */
const ROUNDS = 10
const OBJECT_BYTES = 4000

const noAbort = () => new AbortController().signal
const INCONSISTENT =
  'The service needs read-after-write consistency. Bypass a cache or replica in front of storage; if there is none, ' +
  'use another storage service.'

async function putSome({ media }: CheckContext, key: string): Promise<Buffer> {
  const body = randomBytes(OBJECT_BYTES)
  await media.put({ key, body, type: 'application/octet-stream' })
  return body
}

async function isListed({ client, options }: CheckContext, key: string): Promise<boolean> {
  const command = new ListObjectsV2Command({ Bucket: options.uploadsBucket, Prefix: key })
  return (await client.send(command)).Contents?.some(({ Key }) => Key === key) ?? false
}

function bytesIn(opened: OpenObject | undefined): Extract<OpenObject, { kind: 'open' }> {
  if (opened?.kind === 'open') return opened
  throw new CheckFailure(`Storage returned no bytes of an existing object (${opened?.kind}).`)
}

const readAfterWrite: CompatibilityCheck = {
  name: 'read-after-write',
  requirement: 'required',
  hint: INCONSISTENT,
  run: async (context) => {
    for (let round = 0; round < ROUNDS; round++) {
      const key = context.newKey('read')
      const body = await putSome(context, key)
      const options = { range: undefined, bytesMax: OBJECT_BYTES }
      const read = await context.media.read(key, options, noAbort())
      assertBehavior(read.equals(body), 'The bytes that storage returned differ from those that were written.')
    }
    return `${ROUNDS} objects were read immediately after writing.`
  },
}

const listAfterWrite: CompatibilityCheck = {
  name: 'list-after-write',
  requirement: 'required',
  hint: INCONSISTENT,
  run: async (context) => {
    for (let round = 0; round < ROUNDS; round++) {
      const key = context.newKey('listed')
      assertBehavior(!(await isListed(context, key)), 'Storage lists an object that was never written.')
      await putSome(context, key)
      assertBehavior(await isListed(context, key), 'An object was missing in a listing after it was written.')
    }
    return `${ROUNDS} objects were listed immediately after writing.`
  },
}

const deleteMany: CompatibilityCheck = {
  name: 'delete-many',
  requirement: 'required',
  hint: 'The service deletes files with DeleteObjects, 1,000 at a time. Use storage that supports it.',
  run: async (context) => {
    const prefix = `${context.newKey('deleted')}/`
    const keys = Array.from({ length: ROUNDS }, (_, index) => `${prefix}${index}`)
    for (const key of keys) await putSome(context, key)
    assertBehavior(await context.media.deleteAll(prefix), 'Storage did not delete all objects.')
    for (const key of keys) {
      const exists = (await context.media.head(key, noAbort())) || (await isListed(context, key))
      assertBehavior(!exists, 'An object still existed after it was deleted.')
    }
    return `${ROUNDS} objects were deleted with one request.`
  },
}

const deletedForGood: CompatibilityCheck = {
  name: 'deleted-for-good',
  requirement: 'optional',
  needs: 'delete-many',
  hint: 'This storage enables versioning by default, so files deleted from the media bucket are only hidden, and still billed. In the storage console, set a rule that deletes noncurrent versions in that bucket after one day.',
  run: async ({ client, options, media, newKey }) => {
    const prefix = `${newKey('good')}/`
    await media.put({ key: `${prefix}a`, body: 'x', type: 'text/plain' })
    await media.deleteAll(prefix)
    const location = { client, bucket: options.mediaBucket, prefix }
    const pages = await Array.fromAsync(versionsUnder(location)).catch(() => [])
    const left = pages.flatMap(({ objects, deleteMarkers }) => [...objects, ...deleteMarkers])
    assertBehavior(left.length === 0, 'Versions of a deleted object are left.')
    return 'A deleted object leaves no versions.'
  },
}

const prefixes: CompatibilityCheck = {
  name: 'prefixes',
  requirement: 'required',
  hint: 'The service finds orphaned outputs with ListObjectsV2 and a delimiter. Use storage that supports both.',
  run: async (context) => {
    const prefix = `${context.newKey('tree')}/`
    for (const name of ['one/a', 'one/b', 'two/a']) await putSome(context, `${prefix}${name}`)
    const found = (await Array.fromAsync(context.media.objects.prefixes(prefix))).sort()
    const isRight = found.join() === `${prefix}one/,${prefix}two/`
    assertBehavior(isRight, `Storage lists ${found.length} prefixes instead of 2.`)
    return 'Common prefixes are listed with a delimiter.'
  },
}

const ranges: CompatibilityCheck = {
  name: 'ranges',
  requirement: 'required',
  hint: 'Players and workers read byte ranges. Use storage that supports them, or fix the cache in front of it.',
  run: async (context) => {
    const key = context.newKey('range')
    const body = await putSome(context, key)
    const options = { range: 'bytes=1000-2999', knownEtag: undefined }
    const { contentRange, body: stream } = bytesIn(await context.media.open(key, options, noAbort()))
    const isRight = (await buffer(stream)).equals(body.subarray(1000, 3000))
    const expectedRange = `bytes 1000-2999/${OBJECT_BYTES}`
    assertBehavior(isRight && contentRange === expectedRange, 'Storage did not return the requested range.')
    return 'Range requests work.'
  },
}

const rangeOutside: CompatibilityCheck = {
  name: 'range-outside',
  requirement: 'optional',
  needs: 'ranges',
  hint: 'No action needed: players that request a range beyond the end get a less precise error.',
  run: async (context) => {
    const key = context.newKey('outside')
    await putSome(context, key)
    const options = { range: `bytes=${OBJECT_BYTES}-`, knownEtag: undefined }
    const opened = await context.media.open(key, options, noAbort())
    if (opened?.kind === 'open') opened.body.destroy()
    assertBehavior(opened?.kind === 'outside', 'A range beyond the end does not get 416.')
    return 'A range beyond the end gets 416.'
  },
}

const unchanged: CompatibilityCheck = {
  name: 'if-none-match',
  requirement: 'optional',
  hint: 'No action needed: segments that a cache has already are sent again, which costs traffic.',
  run: async (context) => {
    const key = context.newKey('etag')
    await putSome(context, key)
    const knownEtag = (await context.media.head(key, noAbort()))?.etag
    const opened = await context.media.open(key, { range: undefined, knownEtag }, noAbort())
    if (opened?.kind === 'open') opened.body.destroy()
    assertBehavior(opened?.kind === 'unchanged', 'If-None-Match does not get 304.')
    return 'If-None-Match gets 304.'
  },
}

const isPrivate: CompatibilityCheck = {
  name: 'private',
  requirement: 'required',
  hint: 'Anyone could download every video without the service. Remove what makes new buckets public (a policy, an ACL, a proxy that signs requests).',
  run: async (context) => {
    const key = context.newKey('private')
    await putSome(context, key)
    const { publicEndpoint, uploadsBucket } = context.options
    const { status } = await fetch(`${publicEndpoint}/${uploadsBucket}/${key}`)
    assertBehavior(status >= 400, `An unsigned request gets an object (${status}).`)
    return `An unsigned request is refused (${status}).`
  },
}

const signatures: CompatibilityCheck = {
  name: 'signatures',
  requirement: 'required',
  hint: 'Anyone could write. Remove the proxy in front of storage that signs or accepts requests.',
  run: async ({ options, newKey }) => {
    const client = openClient(options.endpoint, { ...options, secretAccessKey: 'no-such-secret' })
    const object = { Bucket: options.uploadsBucket, Key: newKey('unsigned'), Body: 'x' }
    const request = client.send(new PutObjectCommand(object))
    const isRefused = await request.then(() => false).catch(() => true)
    client.destroy()
    assertBehavior(isRefused, 'An object signed with a wrong secret was accepted.')
    return 'A request signed with a wrong secret is refused.'
  },
}

const digest: CompatibilityCheck = {
  name: 'content-md5',
  requirement: 'optional',
  hint: 'No action needed: checksums that clients send with their parts are not verified.',
  run: async ({ client, options, newKey }) => {
    const wrong = Buffer.alloc(16).toString('base64')
    const object = { Bucket: options.uploadsBucket, Key: newKey('md5'), Body: 'x' }
    const request = client.send(new PutObjectCommand({ ...object, ContentMD5: wrong }))
    const isRefused = await request.then(() => false).catch(() => true)
    assertBehavior(isRefused, 'An object with a wrong Content-MD5 was accepted.')
    return 'A wrong Content-MD5 is refused.'
  },
}

export const objectChecks: readonly CompatibilityCheck[] = [
  ...[readAfterWrite, listAfterWrite, deleteMany, deletedForGood, prefixes, ranges, rangeOutside],
  ...[unchanged, isPrivate, signatures, digest],
]
