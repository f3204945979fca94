import { describe, expect, it } from 'vitest'
import { refused } from '../../../kernel/errors.ts'
import type { AssetId, FolderUuid } from '../../../kernel/ids.ts'
import { assertDeletable, assertMovable, changeOf, notFoundErrors, separateErrors } from './asset-batches.rules.ts'

const tags = (count: number) => Array.from({ length: count }, (_, number) => `tag ${number}`)
const [inner, outer] = ['inner', 'outer'] as unknown as FolderUuid[]
const holds = new Map([[inner as FolderUuid, outer as FolderUuid]])
const code = (work: () => unknown) => {
  try {
    work()
    return 'allowed'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('a change of tags', () => {
  it('adds tags up to the limit; tags that differ only in case are the same', () => {
    const add = (count: number, added: readonly string[]) =>
      changeOf({ kind: 'add_tags', tags: added }, { tags: tags(count) }).tags?.length
    expect(add(49, ['new'])).toBe(50)
    expect(add(50, ['TAG 1'])).toBe(50)
    expect(code(() => add(50, ['new']))).toBe('invalid_request')
  })

  it('removes tags without case, and keeps the others as they are', () => {
    const change = changeOf({ kind: 'remove_tags', tags: ['PHYSICS', 'none'] }, { tags: ['Physics', 'Summer'] })
    expect(change.tags).toEqual(['Summer'])
  })
})

describe('a legal hold', () => {
  const asset = { folderUuid: inner ?? null, legalHold: false }

  it('of the asset or a folder above it refuses the deletion', () => {
    expect(code(() => assertDeletable({ folderUuid: null, legalHold: false }, holds))).toBe('allowed')
    expect(code(() => assertDeletable({ folderUuid: null, legalHold: true }, holds))).toBe('legal_hold')
    expect(code(() => assertDeletable(asset, holds))).toBe('legal_hold')
  })

  it('of a folder refuses moves out of it, but not moves that stay under a hold', () => {
    expect(code(() => assertMovable(asset, null, holds))).toBe('legal_hold')
    expect(code(() => assertMovable(asset, asset.folderUuid, holds))).toBe('allowed')
    const both = new Map([...holds, [outer as FolderUuid, outer as FolderUuid]])
    expect(code(() => assertMovable(asset, outer ?? null, both))).toBe('allowed')
    expect(code(() => assertMovable({ folderUuid: null, legalHold: true }, outer ?? null, both))).toBe('allowed')
  })
})

describe('the errors of a batch', () => {
  const items = ['a', 'b'].map((id) => ({ id: id as AssetId }))

  it('contain domain errors; any other error stops the batch', () => {
    const separated = separateErrors(items, ({ id }) => {
      if (id === 'a') throw refused('legal_hold', 'On hold.')
      return id
    })
    expect(separated).toEqual({ changes: ['b'], errors: [{ assetId: 'a', code: 'legal_hold', detail: 'On hold.' }] })
    const fail = () => {
      throw new Error('bug')
    }
    expect(() => separateErrors(items, fail)).toThrow('bug')
  })

  it('contain ids that were not found', () => {
    expect(notFoundErrors(['a', 'c'] as AssetId[], items)).toMatchObject([{ assetId: 'c', code: 'asset_not_found' }])
  })
})
