import { expect, it } from 'vitest'
import { searchAddress } from './search-address.ts'

it('searchAddress keeps what it knows', () => {
  const address = { q: 'aurora', in: 'transcript', folder: '7Hq2kVnW4sD' }
  expect(searchAddress(address)).toEqual(address)
})

it('searchAddress drops what it does not know or is empty, and reads a number as a text', () => {
  expect(searchAddress({ q: 2026, in: 'pictures', folder: '', page: 7 })).toEqual({ q: '2026' })
  expect(searchAddress({ q: '  ', in: null })).toEqual({})
})
