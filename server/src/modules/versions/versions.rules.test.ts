import { describe, expect, it } from 'vitest'
import { failedVersions, isNext, type Version, versionsToDelete, wouldDelete } from './versions.rules.ts'

type Short = readonly [number: number, status: Version['status'], more?: 'active' | 'shown']

const versionOf = ([number, status, more]: Short) =>
  ({ number, status, isActive: more === 'active', activatedAt: more ? 'then' : null }) as Version
const versions = (...short: readonly Short[]) => short.map(versionOf)
const numbers = (found: readonly Version[]) => found.map(({ number }) => number).sort()

describe('versionsToDelete', () => {
  it.each<[string, number[], number, Short[]]>([
    [
      'keeps the active version and the newest other ones',
      [1, 2],
      2,
      [
        [1, 'Completed', 'shown'],
        [2, 'Completed', 'shown'],
        [3, 'Completed', 'shown'],
        [4, 'Completed', 'active'],
      ],
    ],
    [
      'keeps the active version after a rollback',
      [2],
      2,
      [
        [1, 'Completed', 'active'],
        [2, 'Completed', 'shown'],
        [3, 'Completed', 'shown'],
      ],
    ],
    [
      'deletes failed versions before complete ones',
      [3],
      2,
      [
        [1, 'Completed', 'shown'],
        [2, 'Completed', 'active'],
        [3, 'Error'],
      ],
    ],
    [
      'neither counts nor deletes versions that are being uploaded or processed',
      [],
      1,
      [
        [1, 'Completed', 'active'],
        [2, 'Processing'],
        [3, 'Not Started'],
      ],
    ],
    [
      'keeps versions that were just completed and are shown next',
      [],
      1,
      [
        [1, 'Completed', 'active'],
        [2, 'Completed'],
        [3, 'Completed'],
      ],
    ],
    [
      'deletes a version that was completed after a newer one was shown',
      [2],
      1,
      [
        [2, 'Completed'],
        [3, 'Completed', 'active'],
      ],
    ],
    ['keeps an active version that failed', [], 1, [[1, 'Error', 'active']]],
  ])('%s', (_, deleted, kept, given) => {
    expect(numbers(versionsToDelete(versions(...given), kept))).toEqual(deleted)
  })
})

describe('isNext', () => {
  const next = (number: number, ...given: readonly Short[]) => {
    const all = versions(...given)
    return all.some((version) => version.number === number && isNext(version, all))
  }

  it('is true for a complete version that is newer than all that were shown', () => {
    expect(next(3, [1, 'Completed', 'active'], [2, 'Error'], [3, 'Completed'], [4, 'Processing'])).toBe(true)
  })

  it('is false if a newer version was shown, even after a rollback', () => {
    expect(next(2, [1, 'Completed', 'shown'], [2, 'Completed'], [3, 'Completed', 'active'])).toBe(false)
    expect(next(2, [1, 'Completed', 'active'], [2, 'Completed'], [3, 'Completed', 'shown'])).toBe(false)
  })

  it('is false for a version that was shown before or is not complete', () => {
    expect(next(2, [1, 'Completed', 'active'], [2, 'Completed', 'shown'])).toBe(false)
    expect(next(2, [1, 'Completed', 'active'], [2, 'Processing'])).toBe(false)
  })
})

it('failedVersions has no version that is active', () => {
  expect(numbers(failedVersions(versions([1, 'Error', 'active'], [2, 'Cancelled'], [3, 'Queued'])))).toEqual([2])
})

it('wouldDelete counts the active version and those that can be activated', () => {
  const all = versions([1, 'Completed', 'shown'], [2, 'Error', 'active'], [3, 'Error'])
  expect([1, 2, 3].map((kept) => wouldDelete(all, kept))).toEqual([true, true, false])
})
