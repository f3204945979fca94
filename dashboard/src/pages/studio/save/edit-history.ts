/** States of a list for undo and redo. */

/** Older states are dropped. */
const STATES_MAX = 300

export type History<T> = {
  readonly past: readonly T[]
  readonly present: T
  readonly future: readonly T[]
  /** Changes with the same name in a row are one step, such as those of a drag. */
  readonly step: string | undefined
}

export const historyOf = <T>(present: T): History<T> => ({ past: [], present, future: [], step: undefined })

/** Adds a change. An unchanged state adds nothing. */
export function changed<T>(history: History<T>, present: T, step?: string): History<T> {
  if (present === history.present) return history
  const isSameStep = step !== undefined && step === history.step
  const past = isSameStep ? history.past : [...history.past, history.present].slice(-STATES_MAX)
  return { past, present, future: [], step }
}

/** Ends a step, so that the next change with the same name is another one. */
export const ended = <T>(history: History<T>): History<T> => ({ ...history, step: undefined })

export function undone<T>({ past, present, future, ...rest }: History<T>): History<T> {
  const previous = past.at(-1)
  if (previous === undefined) return { past, present, future, ...rest }
  return { past: past.slice(0, -1), present: previous, future: [present, ...future], step: undefined }
}

export function redone<T>({ past, present, future, ...rest }: History<T>): History<T> {
  const [next, ...later] = future
  if (next === undefined) return { past, present, future, ...rest }
  return { past: [...past, present], present: next, future: later, step: undefined }
}
