import { describe, expect, it } from 'vitest'
import { everything, isEmpty, isSelected, nothing, only, selectedCount, toggled, withRange } from './selection.ts'

const ids = ['a', 'b', 'c', 'd', 'e']
const selected = (selection: Parameters<typeof isSelected>[0]) => ids.filter((id) => isSelected(selection, id)).join('')

describe('the selection', () => {
  it('starts empty', () => {
    expect([isEmpty(nothing), selected(nothing), selectedCount(nothing, 5)]).toEqual([true, '', 0])
  })

  it('toggles single videos', () => {
    const one = toggled(only('b'), 'd')
    expect([selected(one), selected(toggled(one, 'b'))]).toEqual(['bd', 'd'])
  })

  it('adds a range in both directions to what is selected', () => {
    expect(selected(withRange(only('a'), ids, 2, 3))).toBe('acd')
    expect(selected(withRange(nothing, ids, 3, 1))).toBe('bcd')
  })

  it('means all videos that match, except those that were removed', () => {
    const most = toggled(toggled(everything, 'b'), 'c')
    expect([selected(most), selectedCount(most, 100_000), isEmpty(most)]).toEqual(['ade', 99_998, false])
    expect(selected(toggled(most, 'b'))).toBe('abde')
  })

  it('adds a range to all by removing exceptions', () => {
    const most = toggled(toggled(everything, 'b'), 'e')
    expect(selected(withRange(most, ids, 0, 2))).toBe('abcd')
  })

  it('has an unknown number if the list has one', () => {
    expect(selectedCount(everything, null)).toBeNull()
    expect(selectedCount(only('a'), null)).toBe(1)
  })
})
