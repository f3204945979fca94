import { expect, it } from 'vitest'
import { ONE_LINE, snippetOf } from './snippet.ts'

const marked = (text: string, ...words: readonly string[]) => {
  const highlights = words.map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length }))
  return snippetOf({ text, highlights })
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join('')
}
const filler = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ')

it('snippetOf marks the matches of a short text', () => {
  expect(marked('The green light', 'green')).toBe('The [green] light')
  expect(marked('green light', 'green', 'light')).toBe('[green] [light]')
  expect(marked('No match')).toBe('No match')
})

it('snippetOf shows the part of a long text around the first match', () => {
  const snippet = marked(`${filler(40)} aurora ${filler(40)}`, 'aurora')
  expect(snippet).toMatch(/^… word\d+ .* word39 \[aurora\] word0 word1 .* word\d+ …$/)
  expect(snippet.length).toBeLessThan(200)
})

it('snippetOf keeps the beginning of a long text if the match is there', () => {
  expect(marked(`An aurora ${filler(60)}`, 'aurora')).toMatch(/^An \[aurora\] word0 .* …$/)
})

it('snippetOf does not divide characters of two units', () => {
  const text = `${'😀'.repeat(101)}x${'😀'.repeat(200)}`
  const parts = snippetOf({ text, highlights: [{ start: 202, end: 203 }] })
  expect(parts.every((part) => part.text.isWellFormed())).toBe(true)
})

it('snippetOf starts near the first match for one line', () => {
  const text = 'What you see here was drawn long before anyone understood the rings.'
  const start = text.indexOf('rings')
  const [before, words, match] = snippetOf({ text, highlights: [{ start, end: start + 5 }] }, ONE_LINE)
  expect([before?.text, words?.text, match?.text]).toEqual(['… ', 'understood the ', 'rings'])
})
