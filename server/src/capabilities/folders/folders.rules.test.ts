import { describe, expect, it } from 'vitest'
import type { FolderUuid } from '../../kernel/ids.ts'
import {
  assertDeletable,
  assertDepth,
  assertMovable,
  assertNotInside,
  countedFor,
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
  const plain = { isRecursive: false, mayDeleteAssets: true }
  const recursive = { isRecursive: true, mayDeleteAssets: true }

  it('takes an empty folder, and a full one only when told to', () => {
    expect(() => assertDeletable({ folders: 1, assets: 0 }, plain)).not.toThrow()
    for (const [doomed, contents] of [
      [{ folders: 2, assets: 0 }, 'holds folders.'],
      [{ folders: 1, assets: 1 }, 'holds assets.'],
      [{ folders: 2, assets: 1 }, 'holds folders and assets.'],
    ] as const) {
      expect(() => assertDeletable(doomed, plain)).toThrow(contents)
      expect(() => assertDeletable(doomed, recursive)).not.toThrow()
    }
  })

  it('takes assets only from who may delete them', () => {
    const wish = { isRecursive: true, mayDeleteAssets: false }
    expect(() => assertDeletable({ folders: 2, assets: 0 }, wish)).not.toThrow()
    expect(() => assertDeletable({ folders: 1, assets: 1 }, wish)).toThrow('assets:write')
  })

  it('takes 10,000 folders and 1,000 assets and no more', () => {
    expect(() => assertDeletable({ folders: 10_000, assets: 1000 }, recursive)).not.toThrow()
    expect(() => assertDeletable({ folders: 10_001, assets: 0 }, recursive)).toThrow('one by one')
    expect(() => assertDeletable({ folders: 1, assets: 1001 }, recursive)).toThrow('1000 assets')
  })

  it('counts as far as it must to know', () => {
    for (const wish of [plain, recursive]) {
      expect(() => assertDeletable(countedFor(wish), wish)).toThrow()
    }
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
