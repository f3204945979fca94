import { expect, it } from 'vitest'
import { sentencesOf } from './sentences.rules.ts'

function momentOf(...said: readonly string[]) {
  let text = ''
  const cues = said.map((one, index) => {
    if (index > 0) text += ' '
    const cue = { offset: text.length, startMs: index * 1000 }
    text += one
    return cue
  })
  return { text, startMs: 0, cues }
}

it('sentencesOf joins captions until a sentence ends', () => {
  expect(sentencesOf(momentOf('We plant', 'the seeds.', 'Then "we wait."', 'And'))).toEqual([
    { sentence: 0, said: 'We plant the seeds.', startMs: 0 },
    { sentence: 1, said: 'Then "we wait."', startMs: 2000 },
    { sentence: 2, said: 'And', startMs: 3000 },
  ])
})

it('sentencesOf divides a text without punctuation', () => {
  const captions = Array.from({ length: 8 }, (_, index) => `${'word '.repeat(9)}${index}`)
  expect(sentencesOf(momentOf(...captions)).map(({ startMs }) => startMs)).toEqual([0, 3000, 6000])
})

it('sentencesOf cuts a long sentence, and returns nothing for spaces', () => {
  expect(sentencesOf({ text: 'a'.repeat(5000), startMs: 0, cues: null }).map(({ said }) => said.length)).toEqual([1000])
  expect(sentencesOf({ text: ' \n ', startMs: 0, cues: null })).toEqual([])
})

it('sentencesOf returns a title or chapter as it is', () => {
  expect(sentencesOf({ text: 'One. Two.', startMs: 5, cues: null })).toEqual([
    { sentence: 0, said: 'One. Two.', startMs: 5 },
  ])
})
