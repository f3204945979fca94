import { describe, expect, it } from 'vitest'
import { ManifestCache } from './manifest-cache.ts'

/** Creates a `write` function that returns the given text and counts its calls. */
function writer(text: string) {
  const calls = { count: 0 }
  const write = async () => {
    calls.count++
    return text
  }
  return { calls, write }
}

describe('a manifest', () => {
  it('is written once for repeated and for concurrent requests', async () => {
    const cache = new ManifestCache()
    const { calls, write } = writer('one')
    const manifests = await Promise.all([1, 2, 3].map(() => cache.read('a', '1', write)))
    manifests.push(await cache.read('a', '1', write))
    expect(manifests.map(({ text }) => text.toString())).toEqual(['one', 'one', 'one', 'one'])
    expect(calls.count).toBe(1)
  })

  it('is written again for another version, with another ETag', async () => {
    const cache = new ManifestCache()
    const before = await cache.read('a', '1', writer('one').write)
    const after = await cache.read('a', '2', writer('two').write)
    expect(after.text.toString()).toBe('two')
    expect(after.etag).not.toBe(before.etag)
  })

  it('is written again after a failure', async () => {
    const cache = new ManifestCache()
    const fail = () => Promise.reject(new Error('nothing'))
    await expect(cache.read('a', '1', fail)).rejects.toThrow('nothing')
    expect((await cache.read('a', '1', writer('one').write)).text.toString()).toBe('one')
  })

  it('is evicted when it is the least recently used', async () => {
    const cache = new ManifestCache(2 * 1028)
    const [a, b, c] = [writer('aaaa'), writer('bbbb'), writer('cccc')]
    await cache.read('a', '1', a.write)
    await cache.read('b', '1', b.write)
    await cache.read('a', '1', a.write)
    await cache.read('c', '1', c.write)
    await cache.read('a', '1', a.write)
    await cache.read('b', '1', b.write)
    expect([a.calls.count, b.calls.count, c.calls.count]).toEqual([1, 2, 1])
  })

  it('keeps no more memory than its text needs', async () => {
    const { text } = await new ManifestCache().read('a', '1', writer('ünd').write)
    expect(text.toString()).toBe('ünd')
    expect(text.buffer.byteLength).toBe(4)
  })

  it('is returned even if it is too large for the cache', async () => {
    const cache = new ManifestCache(2048)
    const { calls, write } = writer('x'.repeat(1025))
    expect((await cache.read('a', '1', write)).text).toHaveLength(1025)
    await cache.read('a', '1', write)
    expect(calls.count).toBe(2)
  })
})
