import { describe, expect, it } from 'vitest'
import { parseVerboseResponse } from './verbose-response.ts'

const response = (segments: readonly object[], language: unknown = 'german') =>
  JSON.stringify({ task: 'transcribe', language, duration: 30, text: '…', segments })
const segment = (start: number, text: string, more: object = {}) => ({
  start,
  end: start + 2,
  text,
  ...more,
})

describe('parseVerboseResponse', () => {
  it('shifts times by the start of the segment, and accepts language names and codes', () => {
    expect(parseVerboseResponse(response([segment(1, ' Guten Tag. ')]), 600)).toEqual({
      language: 'de',
      phrases: [{ startSeconds: 601, endSeconds: 603, text: 'Guten Tag.' }],
    })
    expect(parseVerboseResponse(response([], 'pt'), 0)?.language).toBe('pt')
    expect(parseVerboseResponse(response([], 'klingon'), 0)?.language).toBe('und')
    expect(parseVerboseResponse(response([], 7), 0)?.language).toBe('und')
  })

  it('drops hallucinated text: in silence, repeated, or without duration', () => {
    const phrases = parseVerboseResponse(
      response([
        segment(0, 'Thanks for watching!', { no_speech_prob: 0.9, avg_logprob: -1.4 }),
        segment(2, 'It was late.', { no_speech_prob: 0.9, avg_logprob: -0.2 }),
        ...[4, 6, 8, 10, 12].map((start) => segment(start, 'Yes.')),
        { start: 14, end: 14, text: 'gone' },
        segment(16, 'la '.repeat(50)),
      ]),
      0,
    )?.phrases
    expect(phrases?.map(({ text }) => text)).toEqual(['It was late.', 'Yes.', 'Yes.', 'Yes.', 'la'])
  })

  it.each(['', 'no', '[]', '{"text": "text without times"}', response([{ start: '0' }])])(
    'rejects a response that is not a transcript: %s',
    (text) => {
      expect(parseVerboseResponse(text, 0)).toBeUndefined()
    },
  )
})
