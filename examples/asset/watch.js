/** Polls an asset every second until its status is final, less often while the page is hidden. */
import { Problem } from '../shared/api.js'

const PAUSE_SECONDS = 1
const HIDDEN_PAUSE_SECONDS = 15

/** Failed polls before a notice is shown. */
const MISSES_BEFORE_NOTICE = 3
const MISS_PAUSE_SECONDS = 5

/** Maximum number of polls, about a day. */
const POLLS_MAX = 86_400

const finalStatuses = ['Completed', 'Error', 'Cancelled']

/**
 * `callbacks`: `show({ asset, plan, timeline })`, `onUnreachable(isUnreachable)`, and `onRejected(error)`,
 * which ends the polling. Returns a function that stops polling.
 */
export function watch(api, id, callbacks) {
  const watching = { isOver: false, hasSucceeded: false, misses: 0, wake: () => {} }
  const wake = () => document.hidden || watching.wake()
  document.addEventListener('visibilitychange', wake)
  void pollUntilDone(api, id, callbacks, watching).finally(() => document.removeEventListener('visibilitychange', wake))
  return () => {
    watching.isOver = true
    watching.wake()
  }
}

async function pollUntilDone(api, id, callbacks, watching) {
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    if (!(await pollOnce(api, id, callbacks, watching))) return
    await pause(watching.misses > 0 ? MISS_PAUSE_SECONDS : PAUSE_SECONDS, watching)
  }
}

/** Polls once. Returns whether to continue. */
async function pollOnce(api, id, callbacks, watching) {
  const state = await poll(api, id).catch((error) => ({ error }))
  if (watching.isOver) return false
  if (state.error) return missed(state.error, callbacks, watching)
  if (watching.misses >= MISSES_BEFORE_NOTICE) callbacks.onUnreachable(false)
  watching.misses = 0
  watching.hasSucceeded = true
  callbacks.show(state)
  return !finalStatuses.includes(state.asset.video.status)
}

/** An error of the first poll is final: the access data may be wrong. Later network errors are retried. */
function missed(error, { onUnreachable, onRejected }, watching) {
  if (!watching.hasSucceeded || isRejection(error)) {
    onRejected(error)
    return false
  }
  watching.misses++
  if (watching.misses === MISSES_BEFORE_NOTICE) onUnreachable(true)
  return true
}

const isRejection = (error) => error instanceof Problem && [401, 403, 404].includes(error.document.status)

function pause(seconds, watching) {
  return new Promise((resolve) => {
    watching.wake = resolve
    setTimeout(resolve, (document.hidden ? HIDDEN_PAUSE_SECONDS : seconds) * 1000)
  })
}

/** Reads the asset first, so that the plan and the timeline are never older than its status. */
async function poll(api, id) {
  const asset = await api.readAsset(id)
  const [plan, timeline] = await Promise.all([api.readPlan(id), api.readTimeline(id)])
  return { asset, plan, timeline }
}
