/** Tests the outcomes by which storage requests are counted in the metrics. */
import type { StorageOutcome } from '@reelkeep/server/platform/storage/client.ts'
import { MediaBucket } from '@reelkeep/server/platform/storage/media-bucket.ts'
import { HttpProxy, respond, stackEnv, storageOf } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

const storage = storageOf(stackEnv())
const proxy = await opened(HttpProxy.open(storage.endpoint))
const outcomes: [string, StorageOutcome][] = []
const onResponse = (operation: string, outcome: StorageOutcome) => void outcomes.push([operation, outcome])
const media = new MediaBucket({ ...storage, endpoint: proxy.url, onResponse })
afterAll(() => media[Symbol.dispose]())

const key = `storage-numbers/${crypto.randomUUID()}`
const { signal } = new AbortController()
const all = { range: undefined, knownEtag: undefined }
await media.put({ key, body: 'ten bytes.', type: 'text/plain' })
const { etag = '' } = (await media.head(key, signal)) ?? {}
beforeEach(() => {
  outcomes.length = 0
  proxy.reset()
})

describe('a storage request', () => {
  it('counts as successful for an unmodified object', async () => {
    const found = await media.open(key, { ...all, knownEtag: etag }, signal)
    expect(found).toEqual({ kind: 'unchanged' })
    expect(outcomes).toEqual([['GetObject', 'ok']])
  })

  it('counts as successful for a range behind the end of the object', async () => {
    const found = await media.open(key, { ...all, range: 'bytes=100-' }, signal)
    expect(found).toEqual({ kind: 'outside' })
    expect(outcomes).toEqual([['GetObject', 'ok']])
  })

  it('counts as not found for a missing object', async () => {
    expect(await media.open(`${key}-not`, all, signal)).toBeUndefined()
    expect(outcomes).toEqual([['GetObject', 'not_found']])
  })

  it.each([[403], [503]] as const)('counts as unavailable for the status %s', async (status) => {
    proxy.rules = [{ action: respond(status) }]
    await expect(media.open(key, all, signal)).rejects.toThrow()
    expect(outcomes).toEqual([['GetObject', 'unavailable']])
  })

  it('is not counted if it was aborted', async () => {
    const aborting = new AbortController()
    proxy.rules = [{ action: () => aborting.abort() }]
    await expect(media.open(key, all, aborting.signal)).rejects.toThrow()
    expect(outcomes).toEqual([])
  })
})
