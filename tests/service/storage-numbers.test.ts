/** What is counted of questions to storage, by what came of them. */
import type { StorageOutcome } from '@reelkeep/server/platform/storage/client.ts'
import { MediaBucket } from '@reelkeep/server/platform/storage/media-bucket.ts'
import { StorageRelay, stackEnv, storageOf } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

const storage = storageOf(stackEnv())
const relay = await opened(StorageRelay.open(storage.endpoint))
const outcomes: [string, StorageOutcome][] = []
const onAnswer = (operation: string, outcome: StorageOutcome) =>
  void outcomes.push([operation, outcome])
const media = new MediaBucket({ ...storage, endpoint: relay.url, onAnswer })
afterAll(() => media[Symbol.dispose]())

const key = `storage-numbers/${crypto.randomUUID()}`
const { signal } = new AbortController()
const all = { range: undefined, knownEtag: undefined }
await media.put({ key, body: 'ten bytes.', type: 'text/plain' })
const { etag = '' } = (await media.head(key, signal)) ?? {}
beforeEach(() => {
  outcomes.length = 0
  relay.forget()
})

describe('a question to storage', () => {
  it('is fine if there is nothing new to be read', async () => {
    const found = await media.open(key, { ...all, knownEtag: etag }, signal)
    expect(found).toEqual({ kind: 'unchanged' })
    expect(outcomes).toEqual([['GetObject', 'fine']])
  })

  it('is fine if it is for what lies behind the end', async () => {
    const found = await media.open(key, { ...all, range: 'bytes=100-' }, signal)
    expect(found).toEqual({ kind: 'outside' })
    expect(outcomes).toEqual([['GetObject', 'fine']])
  })

  it('is answered with nothing if it is for what is not there', async () => {
    expect(await media.open(`${key}-not`, all, signal)).toBeUndefined()
    expect(outcomes).toEqual([['GetObject', 'absent']])
  })

  it.each([[403], [503]] as const)('finds storage away if that says %s', async (status) => {
    relay.fateOf = () => status
    await expect(media.open(key, all, signal)).rejects.toThrow()
    expect(outcomes).toEqual([['GetObject', 'away']])
  })

  it('counts for nothing if nobody waits for the answer', async () => {
    const hangUp = new AbortController()
    relay.fateOf = async () => {
      hangUp.abort()
      return 'pass' as const
    }
    await expect(media.open(key, all, hangUp.signal)).rejects.toThrow()
    expect(outcomes).toEqual([])
  })
})
