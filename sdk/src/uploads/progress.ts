import type { ResumeOptions } from './options.ts'

/** Counts what has gone out, and tells it only when it is more than before. */
export type Progress = {
  /** So much of the whole file. */
  readonly reach: (bytes: number) => void
  /** So much of one part, in whichever try. Answers whether that is more than in any try before. */
  readonly reachInPart: (number: number, bytes: number) => boolean
}

export function newProgress(totalBytes: number, onProgress: ResumeOptions['onProgress']): Progress {
  const most = new Map<number, number>()
  let [sum, told] = [0, 0]
  const reach = (bytes: number) => {
    if (bytes <= told) return
    told = bytes
    onProgress?.({ sentBytes: told, totalBytes })
  }
  return {
    reach,
    reachInPart: (number, bytes) => {
      const before = most.get(number) ?? 0
      if (bytes <= before) return false
      most.set(number, bytes)
      sum += bytes - before
      reach(sum)
      return true
    },
  }
}
