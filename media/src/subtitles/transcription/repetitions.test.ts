import { describe, expect, it } from 'vitest'
import { withoutRepetitions } from './repetitions.ts'

describe('withoutRepetitions', () => {
  it.each([
    ['an ordinary text', 'It was, it was not.', 'It was, it was not.'],
    ['a few repetitions', 'No, no, no!', 'No, no, no!'],
    ['one of many repeated words', 'so so so so so so then', 'so then'],
    ['one of many repeated groups of words, ignoring commas', `we go, ${'and we go '.repeat(9)}`, 'we go, and we go'],
    ['an empty text', '  ', ''],
  ])('keeps %s', (_, given, expected) => {
    expect(withoutRepetitions(given)).toBe(expected)
  })

  it('is fast for long texts', () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `word${index % 977}`).join(' ')
    const began = process.cpuUsage()
    expect(withoutRepetitions(text)).toBe(text)
    expect(process.cpuUsage(began).user).toBeLessThan(2e6)
  })
})
