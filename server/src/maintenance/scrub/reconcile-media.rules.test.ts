import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { isDamaged, lostFolders } from './reconcile-media.rules.ts'

const md5 = createHash('md5').update('segment').digest()
const file = { name: '240p/00000.m4s', bytes: 7, md5 }
const listed = { key: 'o/a/e-1/240p/00000.m4s', bytes: 7, etag: md5.toString('hex'), storedAt: new Date(0) }

it('isDamaged finds files that are missing, or have another size or hash', () => {
  expect(isDamaged(file, listed)).toBe(false)
  expect(isDamaged(file, undefined)).toBe(true)
  expect(isDamaged(file, { ...listed, bytes: 6 })).toBe(true)
  expect(isDamaged(file, { ...listed, etag: '0'.repeat(32) })).toBe(true)
})

it('isDamaged ignores an ETag that is not an MD5 hash', () => {
  expect(isDamaged(file, { ...listed, etag: 'x-1' })).toBe(false)
})

it('lostFolders returns folders that are not published and were not written for a day', () => {
  const now = new Date('2026-01-02T00:00:00Z')
  const storedAt = new Date('2026-01-01T00:00:00Z')
  const before = new Date(storedAt.getTime() - 1000)
  const object = (key: string, at = before) => ({ key, storedAt: at })
  const options = {
    ...{ prefix: 'o/a/', now, published: [{ prefix: 'o/a/video-encode-1/' }] },
    listed: [
      object('o/a/video-encode-1/240p/00000.m4s'),
      object('o/a/video-encode-2/240p/00000.m4s'),
      object('o/a/video-encode-3/240p/00000.m4s', storedAt),
      object('o/a/video-encode-4/240p/00000.m4s'),
      object('o/a/video-encode-4/240p/00001.m4s', storedAt),
      object('o/a/subtitles/x.vtt'),
      object('o/a/covers/x.jpg'),
    ],
  }
  expect(lostFolders(options)).toEqual(['video-encode-2/'])
})
