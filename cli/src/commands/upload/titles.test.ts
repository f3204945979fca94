import { expect, it } from 'vitest'
import { titleOf, titleOfFile } from './titles.ts'

it('is the name without its ending', () => {
  expect(titleOfFile('/a/Talk 1.final.mp4')).toBe('Talk 1.final')
  expect(titleOfFile('camera')).toBe('camera')
})

it('holds nothing that a title may not hold', () => {
  expect(titleOf('a\u001b[31m\nb')).toBe('a [31m b')
  expect(titleOf(' \u0007 ')).toBe('Untitled')
  expect(titleOf('e\u0301')).toBe('é')
  expect([...titleOf('👩'.repeat(300))]).toHaveLength(255)
})
