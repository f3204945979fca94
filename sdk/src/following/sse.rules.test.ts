import { describe, expect, it } from 'vitest'
import { framesIn } from './sse.rules.ts'

const nothing = { id: undefined, data: undefined, retrySeconds: undefined }

describe('what a stream sends', () => {
  it('is cut where a block ends; the rest is for the next time', () => {
    const { frames, rest } = framesIn(
      'retry: 2000\nid: 41\n\nid: 42\nevent: x\ndata: {"a":1}\n\nid: 4',
    )
    expect(frames).toEqual([
      { ...nothing, id: '41', retrySeconds: 2 },
      { ...nothing, id: '42', data: '{"a":1}' },
    ])
    expect(rest).toBe('id: 4')
  })

  it('may hold comments, other line ends, and data in several lines', () => {
    expect(framesIn(': still here\r\nid: 42\r\n\r\n').frames).toEqual([{ ...nothing, id: '42' }])
    expect(framesIn('data: {\ndata:}\n\n').frames).toEqual([{ ...nothing, data: '{\n}' }])
    expect(framesIn(': still here\n\n').frames).toEqual([nothing])
  })
})
