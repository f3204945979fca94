import { type Examination, examine, type Finding } from './finding.ts'

/** Programs are started for an examination, so nobody may have more of them than this by asking. */
const KEPT_SECONDS = 10

/** Whoever asks while an examination is under way, or soon after it, gets its findings. */
export function keepFindings(examinations: readonly Examination[]): () => Promise<Finding[]> {
  let latest: Promise<Finding[]> | undefined
  let keptUntil = 0
  return () => {
    if (latest && performance.now() < keptUntil) return latest
    keptUntil = Number.POSITIVE_INFINITY
    latest = examine(examinations).finally(() => {
      keptUntil = performance.now() + KEPT_SECONDS * 1000
    })
    return latest
  }
}
