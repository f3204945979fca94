import { expect, it } from 'vitest'
import { textBeside } from './beside.ts'

const cue = (startMs: number, endMs: number, text = '', speaker = '') => ({
  startMs,
  endMs,
  text,
  speaker,
  settings: '',
})
const others = [cue(0, 2000, 'Guten Abend'), cue(2000, 3000, 'und willkommen', 'Ada'), cue(6000, 9000, 'Danke')]

it('returns the texts that are shown mostly at the same time', () => {
  expect(textBeside(others, cue(100, 2900))).toBe('Guten Abend\nAda: und willkommen')
  expect(textBeside(others, cue(1900, 3000))).toBe('Ada: und willkommen')
  expect(textBeside(others, cue(3500, 5000))).toBe('')
})

it('returns a long text for each of the captions during it', () => {
  expect([cue(6000, 6800), cue(7000, 8000), cue(8200, 9000)].map((one) => textBeside(others, one))).toEqual([
    ...['Danke', 'Danke', 'Danke'],
  ])
})
