import { describe, expect, it } from 'vitest'
import { parseFrames } from './sse.rules.ts'

const nothing = { id: undefined, data: undefined, retrySeconds: undefined }

describe('parseFrames', () => {
  it('returns complete blocks and the incomplete rest', () => {
    const { frames, rest } = parseFrames('retry: 2000\nid: 41\n\nid: 42\nevent: x\ndata: {"a":1}\n\nid: 4')
    expect(frames).toEqual([
      { ...nothing, id: '41', retrySeconds: 2 },
      { ...nothing, id: '42', data: '{"a":1}' },
    ])
    expect(rest).toBe('id: 4')
  })

  it('accepts comments, CRLF line ends, and data in several lines', () => {
    expect(parseFrames(': heartbeat\r\nid: 42\r\n\r\n').frames).toEqual([{ ...nothing, id: '42' }])
    expect(parseFrames('data: {\ndata:}\n\n').frames).toEqual([{ ...nothing, data: '{\n}' }])
    expect(parseFrames(': heartbeat\n\n').frames).toEqual([nothing])
  })
})
