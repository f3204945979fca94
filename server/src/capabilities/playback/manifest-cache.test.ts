import { describe, expect, it } from 'vitest'
import { ManifestCache } from './manifest-cache.ts'

/** Writes what it is told, and counts. */
function writer(text: string) {
  const calls = { count: 0 }
  const write = async () => {
    calls.count++
    return text
  }
  return { calls, write }
}

describe('a manifest', () => {
  it('is written once for who asks again, and for all who ask at once', async () => {
    const cache = new ManifestCache()
    const { calls, write } = writer('one')
    const asked = await Promise.all([1, 2, 3].map(() => cache.read('a', '1', write)))
    asked.push(await cache.read('a', '1', write))
    expect(asked.map(({ text }) => text.toString())).toEqual(['one', 'one', 'one', 'one'])
    expect(calls.count).toBe(1)
  })

  it('is written anew for another version, and is another one then', async () => {
    const cache = new ManifestCache()
    const before = await cache.read('a', '1', writer('one').write)
    const after = await cache.read('a', '2', writer('two').write)
    expect(after.text.toString()).toBe('two')
    expect(after.etag).not.toBe(before.etag)
  })

  it('that is not there is looked for again', async () => {
    const cache = new ManifestCache()
    const refuse = () => Promise.reject(new Error('nothing'))
    await expect(cache.read('a', '1', refuse)).rejects.toThrow('nothing')
    expect((await cache.read('a', '1', writer('one').write)).text.toString()).toBe('one')
  })

  it('that nobody has asked for longest makes room', async () => {
    const cache = new ManifestCache(10)
    const [a, b, c] = [writer('aaaa'), writer('bbbb'), writer('cccc')]
    await cache.read('a', '1', a.write)
    await cache.read('b', '1', b.write)
    await cache.read('a', '1', a.write)
    await cache.read('c', '1', c.write)
    await cache.read('a', '1', a.write)
    await cache.read('b', '1', b.write)
    expect([a.calls.count, b.calls.count, c.calls.count]).toEqual([1, 2, 1])
  })

  it('that is too large to be kept is given all the same', async () => {
    const cache = new ManifestCache(10)
    const { calls, write } = writer('x'.repeat(11))
    expect((await cache.read('a', '1', write)).text).toHaveLength(11)
    await cache.read('a', '1', write)
    expect(calls.count).toBe(2)
  })
})
