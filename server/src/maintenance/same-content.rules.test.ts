import { expect, it } from 'vitest'
import { isSameContent } from './same-content.rules.ts'

const etag = 'd41d8cd98f00b204e9800998ecf8427e'
const file = { bytes: 3, etag }

it('isSameContent compares size and hash', () => {
  expect(isSameContent(file, { ...file })).toBe(true)
  expect(isSameContent(file, { ...file, bytes: 4 })).toBe(false)
  expect(isSameContent(file, { ...file, etag: etag.replace('d', 'e') })).toBe(false)
  expect(isSameContent(file, undefined)).toBe(false)
})

it.each(['', `${etag}-7`])('isSameContent compares only the size if one has no content hash: "%s"', (other) => {
  expect(isSameContent(file, { ...file, etag: other })).toBe(true)
  expect(isSameContent({ ...file, etag: other }, file)).toBe(true)
  expect(isSameContent(file, { bytes: 4, etag: other })).toBe(false)
})
