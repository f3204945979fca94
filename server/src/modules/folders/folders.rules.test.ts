import { describe, expect, it } from 'vitest'
import type { FolderUuid } from '../../kernel/ids.ts'
import {
  assertDeletable,
  assertDepth,
  assertMovable,
  assertNotInside,
  countLimit,
  type Folder,
  isFolderUuid,
} from './folders.rules.ts'

const folder = { uuid: 'aaaaaaaaaaa', title: 'A' } as Folder
const path = (...uuids: string[]) => uuids.map((uuid) => ({ uuid: uuid as FolderUuid, title: uuid }))

describe('assertDepth', () => {
  it('allows the 32nd level and rejects the 33rd', () => {
    expect(() => assertDepth(31, 1)).not.toThrow()
    expect(() => assertDepth(32, 1)).toThrow('at most 32 levels deep (this would be 33)')
  })

  it('counts the levels below a moved folder', () => {
    expect(() => assertDepth(2, 30)).not.toThrow()
    expect(() => assertDepth(3, 30)).toThrow('this would be 33')
  })
})

describe('moving a folder', () => {
  it('is rejected if the target is the folder itself or one of its subfolders', () => {
    expect(() => assertNotInside(folder, path('aaaaaaaaaaa'))).toThrow('into itself')
    expect(() => assertNotInside(folder, path('bbbbbbbbbbb', 'aaaaaaaaaaa', 'c'))).toThrow()
    expect(() => assertNotInside(folder, path('bbbbbbbbbbb'))).not.toThrow()
  })

  it('is rejected if the folder has more than 100,000 subfolders', () => {
    expect(() => assertMovable(100_000)).not.toThrow()
    expect(() => assertMovable(100_001)).toThrow('one by one')
  })
})

describe('deleting a folder', () => {
  const plain = { isRecursive: false, mayChangeAssets: true, isPermanent: false }
  const recursive = { isRecursive: true, mayChangeAssets: true, isPermanent: false }

  it('is allowed if the folder is empty or the deletion is recursive', () => {
    expect(() => assertDeletable({ folders: 1, assets: 0 }, plain)).not.toThrow()
    for (const [scope, contents] of [
      [{ folders: 2, assets: 0 }, 'contains folders.'],
      [{ folders: 1, assets: 1 }, 'contains assets.'],
      [{ folders: 2, assets: 1 }, 'contains folders and assets.'],
    ] as const) {
      expect(() => assertDeletable(scope, plain)).toThrow(contents)
      expect(() => assertDeletable(scope, recursive)).not.toThrow()
    }
  })

  it('is rejected if the folder contains assets and the caller may not delete assets', () => {
    const options = { isRecursive: true, mayChangeAssets: false, isPermanent: false }
    expect(() => assertDeletable({ folders: 2, assets: 0 }, options)).not.toThrow()
    expect(() => assertDeletable({ folders: 1, assets: 1 }, options)).toThrow('assets:write')
  })

  it('is rejected for more than 10,000 folders or 1,000 assets', () => {
    expect(() => assertDeletable({ folders: 10_000, assets: 1000 }, recursive)).not.toThrow()
    expect(() => assertDeletable({ folders: 10_001, assets: 0 }, recursive)).toThrow('one by one')
    expect(() => assertDeletable({ folders: 1, assets: 1001 }, recursive)).toThrow('1000 assets')
  })

  it('is rejected if counting its contents stopped at countLimit', () => {
    for (const options of [plain, recursive]) {
      expect(() => assertDeletable(countLimit(options), options)).toThrow()
    }
  })
})

it.each([
  ['7Hq2kVnW4sD', true],
  ['7Hq2kVnW4s', false],
  ['7Hq2kVnW4sDD', false],
  ['0Hq2kVnW4sD', false],
  ['root', false],
])('isFolderUuid(%s) is %s', (text, expected) => {
  expect(isFolderUuid(text)).toBe(expected)
})
