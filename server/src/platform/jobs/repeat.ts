type Work = () => Promise<void>
type OnFailure = (error: unknown) => void

/** Runs `work` at once and then repeatedly, with a pause in between, until disposed. Reports failures and continues. */
export const repeat = (pauseSeconds: number, work: Work, onFailure: OnFailure): AsyncDisposable =>
  start(pauseSeconds, async (pause) => {
    await work().catch(onFailure)
    await pause()
  })

/** The same, with a pause before the first run. */
export const repeatAfterPause = (
  pauseSeconds: number,
  work: Work,
  onFailure: OnFailure,
): AsyncDisposable =>
  start(pauseSeconds, async (pause) => {
    if (await pause()) await work().catch(onFailure)
  })

/** Repeats a cycle until disposed. Its pause resolves with false at the end. */
function start(
  seconds: number,
  cycle: (pause: () => Promise<boolean>) => Promise<void>,
): AsyncDisposable {
  let isOver = false
  let wake = () => {}
  // Without an AbortSignal: every attempt at a step interrupts one, and an error with its stack is expensive.
  const pause = async () => {
    if (isOver) return false
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    return !isOver
  }
  const cycles = (async () => {
    while (!isOver) await cycle(pause)
  })()
  return {
    [Symbol.asyncDispose]: () => {
      isOver = true
      wake()
      return cycles
    },
  }
}
