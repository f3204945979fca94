/** Polls an upload session and its asset, with growing pauses, until both are final. */
import { Problem } from '../shared/api.js'

const FIRST_PAUSE_SECONDS = 0.5
const PAUSE_SECONDS_MAX = 10
const PAUSE_GROWTH = 1.15

/** Maximum number of polls: more than a day with the longest pauses. */
const POLLS_MAX = 10_000

const finalSessionStatuses = ['Completed', 'Expired', 'Cancelled', 'Failed']
const finalVideoStatuses = ['Completed', 'Error', 'Cancelled']

/**
 * Calls `show` with `{ session, asset, timeline }`; `timeline` can be null. Polls run one after the other, so the
 * page never shows an older state after a newer one.
 */
export function watch(api, ids, show) {
  const watching = { isOver: false, isUrgent: false, wake: () => {} }
  void pollUntilDone(api, ids, show, watching)
  return {
    /** Polls immediately. */
    pollNow() {
      watching.isUrgent = true
      watching.wake()
    },
    stop() {
      watching.isOver = true
    },
  }
}

async function pollUntilDone(api, ids, show, watching) {
  let pauseSeconds = FIRST_PAUSE_SECONDS
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    watching.isUrgent = false
    // Ignore errors: the next poll may succeed.
    const state = await poll(api, ids).catch(() => undefined)
    if (watching.isOver) return
    if (state) show(state)
    if (state && isFinal(state)) return
    await pause(pauseSeconds, watching)
    pauseSeconds = watching.isUrgent ? FIRST_PAUSE_SECONDS : Math.min(pauseSeconds * PAUSE_GROWTH, PAUSE_SECONDS_MAX)
  }
}

function pause(seconds, watching) {
  if (watching.isUrgent) return Promise.resolve()
  return new Promise((resolve) => {
    watching.wake = resolve
    setTimeout(resolve, seconds * 1000)
  })
}

/** Reads the session last, so that its status is never older than that of the asset. */
async function poll(api, { uuid, assetId }) {
  const [asset, timeline] = await Promise.all([
    api.readAsset(assetId),
    api.readTimeline(assetId).catch(withoutTimeline),
  ])
  const session = await api.readSession(uuid)
  return { session, asset, timeline }
}

/** Handles older services, which have no timelines. */
function withoutTimeline(error) {
  if (error instanceof Problem) return null
  throw error
}

const isFinal = ({ session, asset }) =>
  finalSessionStatuses.includes(session.status) && finalVideoStatuses.includes(asset.video.status)
