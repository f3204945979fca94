import { describe, expect, it } from 'vitest'
import { isSameMetadata, mergeMetadata } from './metadata.ts'

const keys = (count: number, prefix = 'k') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'x']))

describe('mergeMetadata', () => {
  it('sets, replaces and removes keys and keeps the others', () => {
    expect(mergeMetadata({ a: '1', b: '2', c: '3' }, { b: 'two', c: null, d: '4', e: null })).toEqual({
      a: '1',
      b: 'two',
      d: '4',
    })
  })

  it('keeps a key that is the name of an inherited property', () => {
    const merged = mergeMetadata({}, JSON.parse('{"__proto__": "x", "constructor": "y"}'))
    expect(JSON.stringify(merged)).toBe('{"__proto__":"x","constructor":"y"}')
  })

  it('accepts 50 keys and rejects more, counted after the change', () => {
    expect(Object.keys(mergeMetadata(keys(50), { k0: null, other: 'x' }))).toHaveLength(50)
    expect(() => mergeMetadata(keys(30), keys(21, 'other'))).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('51 keys') }),
    )
  })
})

it('isSameMetadata compares keys and values in any order', () => {
  expect(isSameMetadata({ a: '1', b: '2' }, { b: '2', a: '1' })).toBe(true)
  expect(isSameMetadata({ a: '1' }, { a: '2' })).toBe(false)
  expect(isSameMetadata({ a: '1' }, { b: '1' })).toBe(false)
  expect(isSameMetadata({ a: '1' }, { a: '1', b: '2' })).toBe(false)
})
