import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lastFragmentTimes } from './fragments.ts'
import { lastTimestamp } from './matroska-tail.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
/** A cluster at 5,000 ms with blocks at 40 ms and 80 ms. As in recordings, its length is unknown. */
const cluster = hex('1f43b675 01ffffffffffffff e7 82 1388 a3 85 81 0028 80 00 a3 85 81 0050 80 00')
const earlier = hex('1f43b675 01ffffffffffffff e7 82 03e8 a3 85 81 0000 80 00')

describe('lastTimestamp', () => {
  it('is the time of the last block of the last cluster', () => {
    expect(lastTimestamp(Buffer.concat([hex('0011'), earlier, cluster]))).toBe(5080)
  })

  it('reads blocks in block groups', () => {
    expect(lastTimestamp(hex('1f43b675 01ffffffffffffff e7 81 64 a0 87 a1 85 81 0007 00 00'))).toBe(107)
  })

  it('uses the previous cluster if the last one is truncated', () => {
    expect(lastTimestamp(Buffer.concat([earlier, hex('1f43b675 01ff')]))).toBe(1000)
  })

  it('is undefined without a cluster', () => {
    expect(lastTimestamp(Buffer.alloc(1000))).toBeUndefined()
  })
})

const box = (name: string, content: Buffer) => {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(content.length + 8)
  header.write(name, 4, 'latin1')
  return Buffer.concat([header, content])
}
const fragment = (track: string, startTicks: string, samples: string) =>
  box(
    'moof',
    box(
      'traf',
      Buffer.concat([
        box('tfhd', hex(`00000000 ${track}`)),
        box('tfdt', hex(startTicks)),
        box('trun', hex(`00000000 ${samples}`)),
      ]),
    ),
  )

describe('lastFragmentTimes', () => {
  it('reads track, time and samples of the last fragment', () => {
    const bytes = Buffer.concat([
      hex('ffff'),
      fragment('00000001', '00000000 00000100', '00000001'),
      fragment('00000002', '01000000 0000000100000000', '0000001e'),
    ])
    expect(lastFragmentTimes(bytes)).toEqual([{ trackId: 2, startTicks: 2 ** 32, lengthTicks: undefined, samples: 30 }])
  })

  it('uses the previous fragment if the last one is truncated', () => {
    const bytes = Buffer.concat([
      fragment('00000001', '00000000 00000100', '00000005'),
      fragment('00000001', '00000000 00000200', '00000005').subarray(0, 30),
    ])
    expect(lastFragmentTimes(bytes)).toEqual([{ trackId: 1, startTicks: 256, lengthTicks: undefined, samples: 5 }])
  })
})

describe('duration of a fragment', () => {
  const lengthOf = (tfhd: string, ...truns: string[]) => {
    const runs = truns.map((trun) => box('trun', hex(trun)))
    const parts = [box('tfhd', hex(tfhd)), box('tfdt', hex('00000000 00000000')), ...runs]
    return lastFragmentTimes(box('moof', box('traf', Buffer.concat(parts))))[0]?.lengthTicks
  }

  it('is the sum of the durations of its samples', () => {
    const trun = '00000305 00000002 00000000 00000000 00000400 00000001 00000200 00000001'
    expect(lengthOf('00000000 00000001', trun)).toBe(0x600)
  })

  it('is computed from the default sample duration of the fragment', () => {
    const tfhd = '0000000b 00000001 0000000000000000 00000001 00000400'
    expect(lengthOf(tfhd, '00000000 00000003', '00000001 00000002 00000000')).toBe(5 * 0x400)
  })

  it('is undefined if only the header of the file has a sample duration', () => {
    expect(lengthOf('00000000 00000001', '00000000 00000003')).toBeUndefined()
  })

  it('includes only samples that are present, even if the box declares more', () => {
    expect(lengthOf('00000000 00000001', '00000100 ffffffff 00000007 00000007')).toBe(14)
  })
})

it('reading the end of a file never throws, whatever bytes it contains', () => {
  const marks = fc.constantFrom(
    hex('1f43b675'),
    Buffer.from('moof'),
    Buffer.from('traf'),
    Buffer.from('tfhd'),
    hex('a0'),
    hex('e7'),
  )
  const bytes = fc.array(
    fc.oneof(
      marks,
      fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array)),
    ),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(
      bytes.map((parts) => Buffer.concat(parts)),
      (tail) => {
        expect(Number.isFinite(lastTimestamp(tail) ?? 0)).toBe(true)
        expect(lastFragmentTimes(tail).every(({ samples }) => Number.isFinite(samples))).toBe(true)
      },
    ),
    { numRuns: 1000 },
  )
})

/** The last bytes of hostile files: many start codes that are each expensive to check and never match. */
const hostileTails: Record<string, string> = {
  'fragments followed by a thousand boxes': '00000010 66726565 00003e88 6d6f6f66',
  'fragments with a thousand boxes per track': '00001f40 74726166 00ffffff 6d6f6f66',
  'clusters that extend to the end': 'ec 87 1f43b675 80 ec 80',
  'clusters with groups that extend to the end': '1f43b675 80 a0 2fffff ec 80',
}

it.each(Object.entries(hostileTails))('a file end full of %s is searched quickly', (_, part) => {
  const tail = Buffer.alloc(2 ** 20, hex(part))
  const before = process.cpuUsage()
  expect(lastTimestamp(tail)).toBeUndefined()
  expect(lastFragmentTimes(tail)).toEqual([])
  expect(process.cpuUsage(before).user).toBeLessThan(2e6)
})
