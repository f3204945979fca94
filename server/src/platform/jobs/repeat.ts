/**
 * Does something again and again, with a pause between, until disposed of. A failure is told, and
 * the next turn comes. The first comes at once, unless there is a pause before it.
 */
export function repeat(
  pauseSeconds: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
  firstPauseSeconds = 0,
): AsyncDisposable {
  let isOver = false
  let wake = () => {}
  // Not an abortable one: every attempt at a step cuts one short, and an error with its stack is dear.
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
