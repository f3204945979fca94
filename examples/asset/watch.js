/** Looks at an asset once a second until nothing more will happen to it, and seldom while nobody sees the page. */
import { Problem } from '../shared/api.js'

const PAUSE_SECONDS = 1
const HIDDEN_PAUSE_SECONDS = 15

/** After so many looks without an answer, people are told. */
const MISSES_TOLD = 3
const MISS_PAUSE_SECONDS = 5

/** A day of looks. What takes longer is looked at again by a reload. */
const LOOKS_MAX = 86_400

/** After these nothing happens by itself. */
const lastStatuses = ['Completed', 'Error', 'Cancelled']

/**
 * `show` is called with `{ asset, plan, timeline }`, `onSilence` with whether the service has
 * fallen silent, and `onRefusal` with the error when it does not want to tell, after which nothing
 * is looked at any more. Answers the way to stop.
 */
export function watch(api, id, told) {
  const watching = { isOver: false, hasSeen: false, misses: 0, wake: () => {} }
  const wake = () => document.hidden || watching.wake()
  document.addEventListener('visibilitychange', wake)
  void keepLooking(api, id, told, watching).finally(() =>
    document.removeEventListener('visibilitychange', wake),
  )
  return () => {
    watching.isOver = true
    watching.wake()
  }
}

async function keepLooking(api, id, told, watching) {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    if (!(await lookOnce(api, id, told, watching))) return
    await pause(watching.misses > 0 ? MISS_PAUSE_SECONDS : PAUSE_SECONDS, watching)
  }
}

/** Whether there may be more to see. */
async function lookOnce(api, id, told, watching) {
  const seen = await look(api, id).catch((error) => ({ error }))
  if (watching.isOver) return false
  if (seen.error) return missed(seen.error, told, watching)
  if (watching.misses >= MISSES_TOLD) told.onSilence(false)
  watching.misses = 0
  watching.hasSeen = true
  told.show(seen)
  return !lastStatuses.includes(seen.asset.video.status)
}

/** What was never seen may be at another address; what was seen once will be there again. */
function missed(error, { onSilence, onRefusal }, watching) {
  if (!watching.hasSeen || isRefusal(error)) {
    onRefusal(error)
    return false
  }
  watching.misses++
  if (watching.misses === MISSES_TOLD) onSilence(true)
  return true
}

const isRefusal = (error) =>
  error instanceof Problem && [401, 403, 404].includes(error.document.status)

function pause(seconds, watching) {
  return new Promise((resolve) => {
    watching.wake = resolve
    setTimeout(resolve, (document.hidden ? HIDDEN_PAUSE_SECONDS : seconds) * 1000)
  })
}

/** The asset first: what the others tell is then never older than its status. */
async function look(api, id) {
  const asset = await api.readAsset(id)
  const [plan, timeline] = await Promise.all([api.readPlan(id), api.readTimeline(id)])
  return { asset, plan, timeline }
}
