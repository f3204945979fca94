import type { ResumeOptions } from './options.ts'

/** Counts the bytes sent and reports only increases. */
export type Progress = {
  /** Sets the progress of the whole file. */
  readonly reach: (bytes: number) => void
  /** Sets the progress of one part in any attempt. Returns whether it is more than in all earlier attempts. */
  readonly reachInPart: (number: number, bytes: number) => boolean
}

export function newProgress(totalBytes: number, onProgress: ResumeOptions['onProgress']): Progress {
  const most = new Map<number, number>()
  let [sum, reported] = [0, 0]
  const reach = (bytes: number) => {
    if (bytes <= reported) return
    reported = bytes
    onProgress?.({ sentBytes: reported, totalBytes })
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
