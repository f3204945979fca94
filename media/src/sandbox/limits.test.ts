import { describe, expect, it } from 'vitest'
import { availableMemory } from './limits.ts'

const GIB = 2 ** 30

describe('availableMemory', () => {
  it('is three quarters of the memory of the container', () => {
    expect(availableMemory({ cgroupBytes: 6 * GIB, machineBytes: 64 * GIB })).toBe(4.5 * GIB)
  })

  it.each([0, 2 ** 63 - 4096, 2 ** 64])(
    'is three quarters of the memory of the machine if the cgroup reports %d',
    (none) => {
      expect(availableMemory({ cgroupBytes: none, machineBytes: 8 * GIB })).toBe(6 * GIB)
    },
  )
})
