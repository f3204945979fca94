import { describe, expect, it } from 'vitest'
import { readTraceparent, writeTraceparent } from './traceparent.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

describe('a traceparent', () => {
  it('is written back unchanged', () => {
    for (const text of [`00-${trace}-${span}-01`, `00-${trace}-${span}-00`]) {
      const spanContext = readTraceparent(text)
      expect(spanContext && writeTraceparent(spanContext)).toBe(text)
    }
  })

  it('may have a later version and additional fields', () => {
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
  ])('readTraceparent returns undefined for %j', (text) => {
    expect(readTraceparent(text)).toBeUndefined()
  })
})
