/**
 * Runs `work` repeatedly, with a pause in between, until disposed. Reports a failure and continues. The first run
 * starts at once unless there is an initial pause.
 */
export function repeat(
  pauseSeconds: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
  firstPauseSeconds = 0,
): AsyncDisposable {
  let isOver = false
  let wake = () => {}
  // Without an AbortSignal: every attempt at a step interrupts one, and an error with its stack is expensive.
  const pause = (seconds: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const turns = (async () => {
    if (firstPauseSeconds > 0) await pause(firstPauseSeconds)
    while (!isOver) {
      await work().catch(onFailure)
      if (!isOver) await pause(pauseSeconds)
    }
  })()
  return {
    [Symbol.asyncDispose]: () => {
      isOver = true
      wake()
      return turns
    },
  }
}
