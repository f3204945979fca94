import { describe, expect, it } from 'vitest'
import { readVerboseAnswer } from './verbose-answer.ts'

const answer = (segments: readonly object[], language: unknown = 'german') =>
  JSON.stringify({ task: 'transcribe', language, duration: 30, text: '…', segments })
const said = (start: number, text: string, more: object = {}) => ({
  start,
  end: start + 2,
  text,
  ...more,
})

describe('readVerboseAnswer', () => {
  it('moves times by where the piece begins, and knows languages by name or code', () => {
    expect(readVerboseAnswer(answer([said(1, ' Guten Tag. ')]), 600)).toEqual({
      language: 'de',
      phrases: [{ startSeconds: 601, endSeconds: 603, text: 'Guten Tag.' }],
    })
    expect(readVerboseAnswer(answer([], 'pt'), 0)?.language).toBe('pt')
    expect(readVerboseAnswer(answer([], 'klingon'), 0)?.language).toBe('und')
    expect(readVerboseAnswer(answer([], 7), 0)?.language).toBe('und')
  })

  it('leaves out what was made up: of silence, over and over, or of no time', () => {
    const phrases = readVerboseAnswer(
      answer([
        said(0, 'Thanks for watching!', { no_speech_prob: 0.9, avg_logprob: -1.4 }),
        said(2, 'It was late.', { no_speech_prob: 0.9, avg_logprob: -0.2 }),
        ...[4, 6, 8, 10, 12].map((start) => said(start, 'Yes.')),
        { start: 14, end: 14, text: 'gone' },
        said(16, 'la '.repeat(50)),
      ]),
      0,
    )?.phrases
    expect(phrases?.map(({ text }) => text)).toEqual(['It was late.', 'Yes.', 'Yes.', 'Yes.', 'la'])
  })

  it.each(['', 'no', '[]', '{"text": "words without times"}', answer([{ start: '0' }])])(
    'takes nothing else for a transcript: %s',
    (text) => {
      expect(readVerboseAnswer(text, 0)).toBeUndefined()
    },
  )
})
