import { describe, expect, it } from 'vitest'
import { newProgress } from './progress.ts'

function watched(totalBytes: number) {
  const reported: number[] = []
  const progress = newProgress(totalBytes, ({ sentBytes }) => reported.push(sentBytes))
  return { reported, progress }
}

describe('upload progress', () => {
  it('adds up parts sent in parallel', () => {
    const { reported, progress } = watched(100)
    progress.reachInPart(1, 10)
    progress.reachInPart(2, 5)
    progress.reachInPart(1, 50)
    progress.reachInPart(2, 50)
    expect(reported).toEqual([10, 15, 55, 100])
  })

  it('does not decrease while a part is sent again', () => {
    const { reported, progress } = watched(50)
    expect(progress.reachInPart(1, 40)).toBe(true)
    expect(progress.reachInPart(1, 10)).toBe(false)
    expect(progress.reachInPart(1, 40)).toBe(false)
    expect(progress.reachInPart(1, 41)).toBe(true)
    expect(reported).toEqual([40, 41])
  })

  it('does not decrease when parts replace a failed form', () => {
    const { reported, progress } = watched(30)
    progress.reach(20)
    progress.reachInPart(1, 16)
    progress.reachInPart(2, 14)
    expect(reported).toEqual([20, 30])
  })
})
