import { describe, expect, it } from 'vitest'
import { newProgress } from './progress.ts'

function watched(totalBytes: number) {
  const told: number[] = []
  const progress = newProgress(totalBytes, ({ sentBytes }) => told.push(sentBytes))
  return { told, progress }
}

describe('progress', () => {
  it('adds up parts that are under way at once', () => {
    const { told, progress } = watched(100)
    progress.reachInPart(1, 10)
    progress.reachInPart(2, 5)
    progress.reachInPart(1, 50)
    progress.reachInPart(2, 50)
    expect(told).toEqual([10, 15, 55, 100])
  })

  it('waits while a part is sent again, and goes on beyond where that was', () => {
    const { told, progress } = watched(50)
    expect(progress.reachInPart(1, 40)).toBe(true)
    expect(progress.reachInPart(1, 10)).toBe(false)
    expect(progress.reachInPart(1, 40)).toBe(false)
    expect(progress.reachInPart(1, 41)).toBe(true)
    expect(told).toEqual([40, 41])
  })

  it('waits for the parts to get as far as a form that was broken off', () => {
    const { told, progress } = watched(30)
    progress.reach(20)
    progress.reachInPart(1, 16)
    progress.reachInPart(2, 14)
    expect(told).toEqual([20, 30])
  })
})
