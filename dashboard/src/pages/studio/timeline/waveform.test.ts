import { describe, expect, it } from 'vitest'
import { parseWaveform, pausesOf, peaksOf, type Waveform } from './waveform.ts'

/** The file of finest points, with coarser levels. */
function fileOf(finest: readonly number[], count: number): ArrayBuffer {
  const levels = [[...finest]]
  while (levels.length < count) {
    const [finer = []] = levels
    const parts = Array.from({ length: Math.ceil(finer.length / 4) }, (_, part) => finer.slice(part * 4, part * 4 + 4))
    levels.unshift(parts.map((part) => Math.max(...part)))
  }
  const counts = new Uint8Array(Uint32Array.from(levels.map(({ length }) => length)).buffer)
  return Uint8Array.from([1, count, ...counts, ...levels.flat()]).buffer
}

const read = (finest: readonly number[], count = 3): Waveform => {
  const waveform = parseWaveform(fileOf(finest, count))
  if (!waveform) throw new Error('The file was not read.')
  return waveform
}

const repeated = (value: number, seconds: number) => Array.from({ length: seconds * 20 }, () => value)

describe('parseWaveform', () => {
  it('reads the levels, coarsest first', () => {
    const { levels } = read([1, 2, 3, 4, 5, 6, 7, 8, 9], 2)
    expect(levels.map((level) => [...level])).toEqual([
      [4, 8, 9],
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
    ])
  })

  it.each([
    ['nothing', []],
    ['another version', [2, 1, 1, 0, 0, 0, 9]],
    ['no level', [1, 0]],
    ['a file that ends early', [1, 1, 9, 0, 0, 0, 1]],
    ['a header that ends early', [1, 3, 9, 0]],
  ])('refuses %s', (_, bytes) => expect(parseWaveform(Uint8Array.from(bytes).buffer)).toBeUndefined())
})

describe('peaksOf', () => {
  it('takes the maximum of each part', () => {
    const waveform = read([0, 0, 0, 0, 0, 255, 0, 0], 2)
    expect([...peaksOf(waveform, { fromMs: 0, toMs: 400, count: 2 })]).toEqual([0, 1])
    expect([...peaksOf(waveform, { fromMs: 0, toMs: 400, count: 8 })]).toEqual([0, 0, 0, 0, 0, 1, 0, 0])
  })

  it('is zero beyond the end', () => {
    expect([...peaksOf(read([255, 255], 1), { fromMs: 0, toMs: 400, count: 4 })]).toEqual([1, 0, 0, 0])
  })
})

describe('pausesOf', () => {
  it('finds quiet parts, also at the end', () => {
    const points = [...repeated(120, 5), ...repeated(3, 2), ...repeated(110, 3), ...repeated(0, 1)]
    expect(pausesOf(read(points), 1000)).toEqual([
      { startMs: 5000, endMs: 7000 },
      { startMs: 10_000, endMs: 11_000 },
    ])
  })

  it('leaves out shorter ones', () => {
    const points = [...repeated(120, 5), ...repeated(3, 0.8), ...repeated(110, 3)]
    expect(pausesOf(read(points), 1000)).toEqual([])
  })

  it('finds none in a video without sound', () => {
    expect(pausesOf(read(repeated(0, 10)), 1000)).toEqual([])
  })
})
