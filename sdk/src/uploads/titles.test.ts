import { expect, it } from 'vitest'
import { titleOf, titleOfFile } from './titles.ts'

it('titleOfFile removes the extension', () => {
  expect(titleOfFile('Talk 1.final.mp4')).toBe('Talk 1.final')
  expect(titleOfFile('camera')).toBe('camera')
  expect(titleOfFile('.mp4')).toBe('.mp4')
  expect(titleOfFile('a\n.mp4')).toBe('a')
})

it('titleOf replaces invalid characters and truncates', () => {
  expect(titleOf('a\u001b[31m\nb')).toBe('a [31m b')
  expect(titleOf('a\u202e\u200bb 👨‍👩‍👧')).toBe('ab 👨‍👩‍👧')
  expect(titleOf('\u0600١ \u{e0041}🏴󠁧󠁢󠁥󠁮󠁧󠁿')).toBe('\u0600١ 🏴󠁧󠁢󠁥󠁮󠁧󠁿')
  expect(titleOf(' \u0007 ')).toBe('Untitled')
  expect(titleOf('a\ud800👩')).toBe('a\ufffd👩')
  expect(titleOf('e\u0301')).toBe('é')
  expect([...titleOf('👩'.repeat(300))]).toHaveLength(255)
})
