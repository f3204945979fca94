import { describe, expect, it } from 'vitest'
import { readTraceparent, writeTraceparent } from './traceparent.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

describe('a traceparent', () => {
  it('is written as it was read', () => {
    for (const text of [`00-${trace}-${span}-01`, `00-${trace}-${span}-00`]) {
      const place = readTraceparent(text)
      expect(place && writeTraceparent(place)).toBe(text)
    }
  })

  it('may be of a later version, with more behind it', () => {
    expect(readTraceparent(`01-${trace}-${span}-03-more`)).toMatchObject({
      traceId: trace,
      spanId: span,
      traceFlags: 1,
    })
  })

  it.each([
    undefined,
    '',
    'nonsense',
    `ff-${trace}-${span}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}-${span}`,
    `00-${trace}-${span}-01 `,
  ])('%j is none', (text) => {
    expect(readTraceparent(text)).toBeUndefined()
  })
})
