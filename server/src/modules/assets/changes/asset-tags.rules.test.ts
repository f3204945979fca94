import { expect, it } from 'vitest'
import { cleanTags } from './asset-tags.rules.ts'

it.each([
  ['sorts without regard to case', ['b', 'A', 'c'], ['A', 'b', 'c']],
  ['keeps the first of tags that differ only in case', ['Physics', 'physics', 'PHYSICS'], ['Physics']],
  ['removes surrounding spaces and blank tags', [' a ', '  ', 'a'], ['a']],
  ['composes characters', ['e\u0301'], ['é']],
  ['keeps tags that differ in an accent', ['resume', 'résumé'], ['resume', 'résumé']],
])('cleanTags %s', (_, raw, tags) => {
  expect(cleanTags(raw)).toEqual(tags)
})
