/** Objects as what is made of videos is kept and delivered. */
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { openClient } from '../client.ts'
import { versionsUnder } from '../listing.ts'
import type { OpenObject } from '../media-bucket.ts'
import { assertSeen, type Bench, Shortcoming, type Trial } from './trial.ts'

/** Storage that answers from a copy that is behind does so now and then, not always. */
const ROUNDS = 10
const OBJECT_BYTES = 4000

const anew = () => new AbortController().signal
const INCONSISTENT =
  'The service reads what it has just written; a storage that tells of it later cannot be used. If a cache or a replica stands in front, go past it.'

async function putSome({ media }: Bench, key: string): Promise<Buffer> {
  const body = randomBytes(OBJECT_BYTES)
  await media.put({ key, body, type: 'application/octet-stream' })
  return body
}

async function isListed({ client, options }: Bench, key: string): Promise<boolean> {
  const command = new ListObjectsV2Command({ Bucket: options.uploadsBucket, Prefix: key })
  return (await client.send(command)).Contents?.some(({ Key }) => Key === key) ?? false
}

function bytesIn(opened: OpenObject | undefined): Extract<OpenObject, { kind: 'open' }> {
  if (opened?.kind === 'open') return opened
  throw new Shortcoming(`Storage gave no bytes of an object that is there (${opened?.kind}).`)
}

const readAfterWrite: Trial = {
  name: 'read-after-write',
  need: 'always',
  cure: INCONSISTENT,
  attempt: async (bench) => {
    for (let round = 0; round < ROUNDS; round++) {
      const key = bench.newKey('read')
      const body = await putSome(bench, key)
      const wish = { range: undefined, bytesMax: OBJECT_BYTES }
      const read = await bench.media.read(key, wish, anew())
      assertSeen(read.equals(body), 'Storage gave other bytes than it was given.')
    }
    return `${ROUNDS} objects were read as soon as they were written.`
  },
}

const listAfterWrite: Trial = {
  name: 'list-after-write',
  need: 'always',
  cure: INCONSISTENT,
  attempt: async (bench) => {
    for (let round = 0; round < ROUNDS; round++) {
      const key = bench.newKey('listed')
      assertSeen(!(await isListed(bench, key)), 'Storage lists what was never written.')
      await putSome(bench, key)
      assertSeen(
        await isListed(bench, key),
        'An object was missing in a list after it was written.',
      )
    }
    return `${ROUNDS} objects were listed as soon as they were written.`
  },
}

const goneAfterDelete: Trial = {
  name: 'delete-many',
  need: 'always',
  cure: 'The service frees what lies under a prefix by DeleteObjects, a thousand at a time. Without it nothing is ever freed: use another storage.',
  attempt: async (bench) => {
    const prefix = `${bench.newKey('deleted')}/`
    const keys = Array.from({ length: ROUNDS }, (_, index) => `${prefix}${index}`)
    for (const key of keys) await putSome(bench, key)
    assertSeen(await bench.media.free(prefix), 'Storage did not delete all that it was told to.')
    for (const key of keys) {
      const isThere = (await bench.media.head(key, anew())) || (await isListed(bench, key))
      assertSeen(!isThere, 'An object was still there after it was deleted.')
    }
    return `${ROUNDS} objects were deleted by one request, and gone.`
  },
}

const deletedForGood: Trial = {
  name: 'deleted-for-good',
  need: 'better',
  after: 'delete-many',
  cure: 'Buckets keep versions here without being told to, so what the service deletes from the media bucket is only hidden, and paid for. Set a rule in the console of storage that deletes hidden versions in that bucket after a day.',
  attempt: async ({ client, options, media, newKey }) => {
    const prefix = `${newKey('good')}/`
    await media.put({ key: `${prefix}a`, body: 'x', type: 'text/plain' })
    await media.free(prefix)
    const place = { client, bucket: options.mediaBucket, prefix }
    const pages = await Array.fromAsync(versionsUnder(place)).catch(() => [])
    const left = pages.flatMap(({ objects, marks }) => [...objects, ...marks])
    assertSeen(left.length === 0, 'Of an object that was deleted, versions are left.')
    return 'Of an object that was deleted nothing is left.'
  },
}

const prefixes: Trial = {
  name: 'prefixes',
  need: 'always',
  cure: 'The service finds outputs that nobody needs by ListObjectsV2 with a delimiter: use a storage that has it.',
  attempt: async (bench) => {
    const prefix = `${bench.newKey('tree')}/`
    for (const name of ['one/a', 'one/b', 'two/a']) await putSome(bench, `${prefix}${name}`)
    const found = (await Array.fromAsync(bench.media.prefixes(prefix))).sort()
    const isRight = found.join() === `${prefix}one/,${prefix}two/`
    assertSeen(isRight, `Storage lists ${found.length} prefixes where two are.`)
    return 'Prefixes are listed by a delimiter.'
  },
}

const ranges: Trial = {
  name: 'ranges',
  need: 'always',
  cure: 'Players and workers read videos in pieces. Use a storage that answers ranges, or mend the cache in front of it.',
  attempt: async (bench) => {
    const key = bench.newKey('range')
    const body = await putSome(bench, key)
    const wish = { range: 'bytes=1000-2999', knownEtag: undefined }
    const { contentRange, body: stream } = bytesIn(await bench.media.open(key, wish, anew()))
    const isRight = (await buffer(stream)).equals(body.subarray(1000, 3000))
    const told = `bytes 1000-2999/${OBJECT_BYTES}`
    assertSeen(
      isRight && contentRange === told,
      'Storage gave other bytes than the range asked for.',
    )
    return 'A range is answered with its bytes.'
  },
}

const rangeOutside: Trial = {
  name: 'range-outside',
  need: 'better',
  after: 'ranges',
  cure: 'Nothing has to be done: players that ask behind the end of a file are told so less exactly.',
  attempt: async (bench) => {
    const key = bench.newKey('outside')
    await putSome(bench, key)
    const wish = { range: `bytes=${OBJECT_BYTES}-`, knownEtag: undefined }
    const opened = await bench.media.open(key, wish, anew())
    if (opened?.kind === 'open') opened.body.destroy()
    assertSeen(opened?.kind === 'outside', 'A range behind the end is not answered with 416.')
    return 'A range behind the end is answered with 416.'
  },
}

const unchanged: Trial = {
  name: 'if-none-match',
  need: 'better',
  cure: 'Nothing has to be done: pieces that a cache has already are sent to it again, which costs traffic.',
  attempt: async (bench) => {
    const key = bench.newKey('etag')
    await putSome(bench, key)
    const knownEtag = (await bench.media.head(key, anew()))?.etag
    const opened = await bench.media.open(key, { range: undefined, knownEtag }, anew())
    if (opened?.kind === 'open') opened.body.destroy()
    assertSeen(opened?.kind === 'unchanged', 'If-None-Match is not answered with 304.')
    return 'If-None-Match is answered with 304.'
  },
}

const isPrivate: Trial = {
  name: 'private',
  need: 'always',
  cure: 'Everybody could fetch every video past the service. Take away what makes new buckets public (a policy, an ACL, a proxy that signs).',
  attempt: async (bench) => {
    const key = bench.newKey('private')
    await putSome(bench, key)
    const { publicEndpoint, uploadsBucket } = bench.options
    const { status } = await fetch(`${publicEndpoint}/${uploadsBucket}/${key}`)
    assertSeen(status >= 400, `An object is given to whoever asks without a signature (${status}).`)
    return `Who asks without a signature is refused (${status}).`
  },
}

const signatures: Trial = {
  name: 'signatures',
  need: 'always',
  cure: 'Everybody could write. Whatever signs or lets pass in front of storage must go.',
  attempt: async ({ options, newKey }) => {
    const client = openClient(options.endpoint, { ...options, secretAccessKey: 'no-such-secret' })
    const object = { Bucket: options.uploadsBucket, Key: newKey('unsigned'), Body: 'x' }
    const asked = client.send(new PutObjectCommand(object))
    const isRefused = await asked.then(() => false).catch(() => true)
    client.destroy()
    assertSeen(isRefused, 'An object was taken that was signed with a wrong secret.')
    return 'What is signed with a wrong secret is refused.'
  },
}

const digest: Trial = {
  name: 'content-md5',
  need: 'better',
  cure: 'Nothing has to be done: callers who send a digest of their parts believe that it is looked at, and here it is not.',
  attempt: async ({ client, options, newKey }) => {
    const wrong = Buffer.alloc(16).toString('base64')
    const object = { Bucket: options.uploadsBucket, Key: newKey('md5'), Body: 'x' }
    const asked = client.send(new PutObjectCommand({ ...object, ContentMD5: wrong }))
    const isRefused = await asked.then(() => false).catch(() => true)
    assertSeen(isRefused, 'An object was taken whose Content-MD5 is not that of its bytes.')
    return 'A wrong Content-MD5 is refused.'
  },
}

export const objectTrials: readonly Trial[] = [
  ...[
    readAfterWrite,
    listAfterWrite,
    goneAfterDelete,
    deletedForGood,
    prefixes,
    ranges,
    rangeOutside,
  ],
  ...[unchanged, isPrivate, signatures, digest],
]
