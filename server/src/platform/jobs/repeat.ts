type Work = () => Promise<void>
type OnFailure = (error: unknown) => void

/** Runs `work` at once and then repeatedly, with a pause in between, until disposed. Reports failures and continues. */
export function repeat(pauseSeconds: number, work: Work, onFailure: OnFailure): AsyncDisposable {
  let isOver = false
  let wake = () => {}
  // Uses no AbortSignal: it would create an error with a stack whenever a pause is interrupted, which is expensive and
  // happens in every attempt at a step.
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseSeconds * 1000)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const runs = (async () => {
    while (!isOver) {
      await work().catch(onFailure)
      if (!isOver) await pause()
    }
  })()
  return {
    [Symbol.asyncDispose]: () => {
      isOver = true
      wake()
      return runs
    },
  }
}

/** Like `repeat`, with a pause before the first run. */
export function repeatAfterPause(pauseSeconds: number, work: Work, onFailure: OnFailure) {
  let isFirst = true
  const workLater = async () => {
    if (!isFirst) await work()
    isFirst = false
  }
  return repeat(pauseSeconds, workLater, onFailure)
}
