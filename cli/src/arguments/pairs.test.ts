import { expect, it } from 'vitest'
import { collect, collectPair } from './pairs.ts'

it('collect returns the values in the given order', () => {
  expect(collect('b', collect('a'))).toEqual(['a', 'b'])
})

it('collectPair splits at the first equals sign; an empty value is null', () => {
  expect(collectPair('room=', collectPair('course=a=b'))).toEqual({ course: 'a=b', room: null })
})

it.each(['course', '=17', ''])('collectPair rejects %j', (text) => {
  expect(() => collectPair(text)).toThrow('key=value')
})
