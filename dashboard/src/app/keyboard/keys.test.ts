import { describe, expect, it } from 'vitest'
import { keyOf } from './keys.ts'

const none = { ctrlKey: false, metaKey: false, altKey: false }

describe('keyOf', () => {
  it('names plain keys by their character', () => {
    expect(keyOf({ ...none, key: '?' })).toBe('?')
    expect(keyOf({ ...none, key: 'g' })).toBe('g')
  })

  it('names Ctrl and Cmd the same, in lower case', () => {
    expect(keyOf({ ...none, ctrlKey: true, key: 'K' })).toBe('mod+k')
    expect(keyOf({ ...none, metaKey: true, key: 'k' })).toBe('mod+k')
  })

  it('ignores Alt and keys without a character', () => {
    expect(keyOf({ ...none, altKey: true, key: 'k' })).toBeUndefined()
    expect(keyOf({ ...none, key: 'Shift' })).toBeUndefined()
  })
})
