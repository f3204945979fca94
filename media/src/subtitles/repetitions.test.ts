import { describe, expect, it } from 'vitest'
import { withoutRepetitions } from './repetitions.ts'

describe('withoutRepetitions', () => {
  it.each([
    ['a text as it is', 'It was, it was not.', 'It was, it was not.'],
    ['what somebody may say', 'No, no, no!', 'No, no, no!'],
    ['a word that goes on', 'so so so so so so then', 'so then'],
    [
      'a group of words, whatever its commas',
      `we go, ${'and we go '.repeat(9)}`,
      'we go, and we go',
    ],
    ['nothing', '  ', ''],
  ])('keeps %s', (_, given, expected) => {
    expect(withoutRepetitions(given)).toBe(expected)
  })

  it('takes long texts in no time', () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `word${index % 977}`).join(' ')
    const began = process.cpuUsage()
    expect(withoutRepetitions(text)).toBe(text)
    expect(process.cpuUsage(began).user).toBeLessThan(2e6)
  })
})
