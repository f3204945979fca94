import { expect, it } from 'vitest'
import { wordsOf } from './identifier-words.ts'

it.each([
  ['createFolder', 'Create folder'],
  ['admin.create-token', 'Admin create token'],
  ['upload_session.created', 'Upload session created'],
])('%s is shown as %s', (identifier, words) => {
  expect(wordsOf(identifier)).toBe(words)
})
