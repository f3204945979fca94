import { describe, expect, it } from 'vitest'
import { keyNames, keyOf } from './keys.ts'

const none = { code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }

describe('keyOf', () => {
  it('names plain keys by their character', () => {
    expect(keyOf({ ...none, key: '?', shiftKey: true })).toBe('?')
    expect(keyOf({ ...none, key: 'g' })).toBe('g')
  })

  it('names Ctrl and Cmd the same, in lower case', () => {
    expect(keyOf({ ...none, ctrlKey: true, key: 'k' })).toBe('mod+k')
    expect(keyOf({ ...none, metaKey: true, key: 'K' })).toBe('mod+k')
    expect(keyOf({ ...none, metaKey: true, key: '+' })).toBe('mod++')
  })

  it('names letters with Shift, also with Ctrl', () => {
    expect(keyOf({ ...none, shiftKey: true, key: 'V' })).toBe('shift+v')
    expect(keyOf({ ...none, ctrlKey: true, shiftKey: true, key: 'Z' })).toBe('mod+shift+z')
  })

  it('names arrows, Space and Delete, also with Shift', () => {
    expect(keyOf({ ...none, key: 'ArrowLeft' })).toBe('ArrowLeft')
    expect(keyOf({ ...none, key: 'ArrowLeft', shiftKey: true })).toBe('shift+ArrowLeft')
    expect(keyOf({ ...none, key: ' ' })).toBe('Space')
    expect(keyOf({ ...none, key: 'Backspace' })).toBe('Delete')
    expect(keyOf({ ...none, key: 'ArrowLeft', ctrlKey: true })).toBeUndefined()
  })

  it('names comma and period with Shift by their place on the keyboard', () => {
    expect(keyOf({ ...none, key: '<', code: 'Comma', shiftKey: true })).toBe('shift+,')
    expect(keyOf({ ...none, key: ':', code: 'Period', shiftKey: true })).toBe('shift+.')
    expect(keyOf({ ...none, key: ',', code: 'Comma' })).toBe(',')
  })

  it('ignores Alt and other keys without a character', () => {
    expect(keyOf({ ...none, altKey: true, key: 'k' })).toBeUndefined()
    expect(keyOf({ ...none, key: 'Shift', shiftKey: true })).toBeUndefined()
  })
})

it('keys are shown with their names', () => {
  expect(keyNames('g l')).toEqual(['G', 'L'])
  expect(keyNames('shift+ArrowLeft')).toEqual(['SHIFT', '←'])
  expect(keyNames('Space', { Space: 'Leertaste' })).toEqual(['Leertaste'])
  expect(keyNames('+')).toEqual(['+'])
  expect(keyNames('shift+,', { shift: 'Umschalt' })).toEqual(['Umschalt', ','])
})
