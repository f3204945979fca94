import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CUE_SECONDS_MAX, CUE_SECONDS_MIN, cuesOf, LINE_LENGTH_MAX } from './cues.ts'

const phrase = (startSeconds: number, endSeconds: number, text: string) => ({
  startSeconds,
  endSeconds,
  text,
})

describe('cuesOf', () => {
  it('breaks a cue into two lines of about the same length', () => {
    const text = 'The harbor was quiet when the first boats came home.'
    expect(cuesOf([phrase(1, 4, text)])).toEqual([
      {
        startSeconds: 1,
        endSeconds: 4,
        lines: ['The harbor was quiet when', 'the first boats came home.'],
      },
    ])
  })

  it('splits a long phrase at the end of a sentence, and divides its time by length', () => {
    const one = 'Nobody had expected them before the morning.'
    const two = 'Only one lamp was burning at the end of the old pier.'
    const cues = cuesOf([phrase(10, 18, `${one} ${two}`)])
    expect(cues.map(({ lines }) => lines.join(' '))).toEqual([one, two])
    expect(cues[0]?.endSeconds).toBe(cues[1]?.startSeconds)
    expect(cues[0]?.endSeconds).toBeCloseTo(10 + (8 * one.length) / (one.length + two.length), 5)
  })

  it('shows a short phrase for a second, or together with the next phrase', () => {
    const cues = cuesOf([phrase(0, 0.3, 'Yes.'), phrase(5, 5.4, 'No.')])
    expect(cues.map(({ startSeconds, endSeconds }) => endSeconds - startSeconds)).toEqual([1, 1])
    const [only, ...more] = cuesOf([phrase(0, 0.3, 'Yes.'), phrase(0.5, 2, 'Of course.')])
    expect(more).toEqual([])
    expect(only).toEqual({ startSeconds: 0, endSeconds: 2, lines: ['Yes. Of course.'] })
  })

  it('shortens a cue that overlaps with the next one', () => {
    const cues = cuesOf([phrase(0, 3.1, 'One, two.'), phrase(3, 5, 'Three, four.')])
    expect(cues[0]?.endSeconds).toBe(3)
  })

  it('breaks Japanese after punctuation, and very long words anywhere', () => {
    const text = `${'あ'.repeat(30)}。${'い'.repeat(30)}。`
    expect(cuesOf([phrase(0, 5, text)])[0]?.lines).toEqual([`${'あ'.repeat(30)}。`, `${'い'.repeat(30)}。`])
    const endless = cuesOf([phrase(0, 5, 'x'.repeat(200))])
    expect(endless.flatMap(({ lines }) => lines).join('')).toBe('x'.repeat(200))
  })

  const word = fc.stringMatching(/^[a-zß]{1,50}[.,]?$/)
  const phrases = fc
    .array(
      fc.record({
        gap: fc.double({ min: 0.01, max: 20, noNaN: true }),
        seconds: fc.double({ min: 0.2, max: 40, noNaN: true }),
        words: fc.array(word, { minLength: 1, maxLength: 60 }),
      }),
      { maxLength: 8 },
    )
    .map((all) => {
      let at = 0
      return all.map(({ gap, seconds, words }) => {
        const startSeconds = at + gap
        at = startSeconds + seconds
        return phrase(startSeconds, at, words.join(' '))
      })
    })

  it('keeps all letters in order, and respects the limits on lines and durations', () => {
    fc.assert(
      fc.property(phrases, (spoken) => {
        const cues = cuesOf(spoken)
        const letters = (texts: readonly string[]) => texts.join('').replaceAll(' ', '')
        expect(letters(cues.flatMap(({ lines }) => lines))).toBe(letters(spoken.map(({ text }) => text)))
        for (const [index, { startSeconds, endSeconds, lines }] of cues.entries()) {
          expect(lines.length).toBeLessThanOrEqual(2)
          for (const line of lines) expect(line.length).toBeLessThanOrEqual(LINE_LENGTH_MAX)
          expect(endSeconds).toBeGreaterThan(startSeconds)
          expect(endSeconds - startSeconds).toBeLessThanOrEqual(CUE_SECONDS_MAX + 1e-9)
          const next = cues[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY
          expect(endSeconds).toBeLessThanOrEqual(next + 1e-9)
          const isShort = endSeconds - startSeconds < CUE_SECONDS_MIN - 1e-9
          if (isShort) expect(next - endSeconds).toBeLessThan(1e-9)
        }
      }),
    )
  })
})
