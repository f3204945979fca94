import { describe, expect, it } from 'vitest'
import type { FolderUuid } from '../../kernel/ids.ts'
import {
  areCommon,
  assertDeletable,
  assertDepth,
  assertMovable,
  assertNotInside,
  type Folder,
  isFolderUuid,
} from './folders.rules.ts'

const folder = { uuid: 'aaaaaaaaaaa', title: 'A' } as Folder
const path = (...uuids: string[]) =>
  uuids.map((uuid) => ({ uuid: uuid as FolderUuid, title: uuid }))

describe('depth', () => {
  it('allows the 32nd level and refuses the 33rd', () => {
    expect(() => assertDepth(31, 1)).not.toThrow()
    expect(() => assertDepth(32, 1)).toThrow('at most 32 deep; this would make 33')
  })

  it('counts what lies beneath a moved folder', () => {
    expect(() => assertDepth(2, 30)).not.toThrow()
    expect(() => assertDepth(3, 30)).toThrow('this would make 33')
  })
})

describe('moving', () => {
  it('refuses the folder itself and anything that lies in it', () => {
    expect(() => assertNotInside(folder, path('aaaaaaaaaaa'))).toThrow('into itself')
    expect(() => assertNotInside(folder, path('bbbbbbbbbbb', 'aaaaaaaaaaa', 'c'))).toThrow()
    expect(() => assertNotInside(folder, path('bbbbbbbbbbb'))).not.toThrow()
  })

  it('looks at 100,000 folders and no more', () => {
    expect(() => assertMovable(100_000)).not.toThrow()
    expect(() => assertMovable(100_001)).toThrow('one by one')
  })
})

describe('deleting', () => {
  it('takes an empty folder, and a full one only when told to', () => {
    expect(() => assertDeletable(1, false)).not.toThrow()
    expect(() => assertDeletable(2, false)).toThrow('recursive=true')
    expect(() => assertDeletable(2, true)).not.toThrow()
  })

  it('takes 10,000 folders and no more', () => {
    expect(() => assertDeletable(10_000, true)).not.toThrow()
    expect(() => assertDeletable(10_001, true)).toThrow('More than 10000')
  })
})

describe('a search', () => {
  it('reads the list when a page of matches is likely within 5,000 of its rows', () => {
    expect(areCommon(0, 100, 50)).toBe(false)
    expect(areCommon(100_000, 10_000_000, 50)).toBe(true)
    expect(areCommon(99_999, 10_000_000, 50)).toBe(false)
  })
})

it.each([
  ['7Hq2kVnW4sD', true],
  ['7Hq2kVnW4s', false],
  ['7Hq2kVnW4sDD', false],
  ['0Hq2kVnW4sD', false],
  ['root', false],
])('%s can be a folder: %s', (text, expected) => {
  expect(isFolderUuid(text)).toBe(expected)
})
