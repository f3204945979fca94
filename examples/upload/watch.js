/** Looks at a session and its video until nothing more will happen, ever less often. */
import { Problem } from '../shared/api.js'

const FIRST_PAUSE_SECONDS = 0.5
const PAUSE_SECONDS_MAX = 10
const PAUSE_GROWTH = 1.15

/** With the longest pause between them, more than a day. */
const LOOKS_MAX = 10_000

const lastSessionStatuses = ['Completed', 'Expired', 'Cancelled', 'Failed']
const lastVideoStatuses = ['Completed', 'Error', 'Cancelled']

/**
 * `show` is called with `{ session, asset, timeline }`; the timeline is null where there is none. Nobody else
 * shows states: one look follows the other, so what is shown never goes back in time.
 */
export function watch(api, ids, show) {
  const watching = { isOver: false, isHurried: false, wake: () => {} }
  void keepLooking(api, ids, show, watching)
  return {
    /** Something has happened that is worth a look. */
    lookNow() {
      watching.isHurried = true
      watching.wake()
    },
    stop() {
      watching.isOver = true
    },
  }
}

async function keepLooking(api, ids, show, watching) {
  let pauseSeconds = FIRST_PAUSE_SECONDS
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    watching.isHurried = false
    // A look that fails is no news: the next one may tell.
    const seen = await look(api, ids).catch(() => undefined)
    if (watching.isOver) return
    if (seen) show(seen)
    if (seen && isOver(seen)) return
    await pause(pauseSeconds, watching)
    pauseSeconds = watching.isHurried
      ? FIRST_PAUSE_SECONDS
      : Math.min(pauseSeconds * PAUSE_GROWTH, PAUSE_SECONDS_MAX)
  }
}

function pause(seconds, watching) {
  if (watching.isHurried) return Promise.resolve()
  return new Promise((resolve) => {
    watching.wake = resolve
    setTimeout(resolve, seconds * 1000)
  })
}

/** The session last: should it end meanwhile, its end is seen before what follows from it. */
async function look(api, { uuid, assetId }) {
  const [asset, timeline] = await Promise.all([
    api.readAsset(assetId),
    api.readTimeline(assetId).catch(withoutTimeline),
  ])
  const session = await api.readSession(uuid)
  return { session, asset, timeline }
}

/** A service that is older than this page has no timelines; the page does without. */
function withoutTimeline(error) {
  if (error instanceof Problem) return null
  throw error
}

const isOver = ({ session, asset }) =>
  lastSessionStatuses.includes(session.status) && lastVideoStatuses.includes(asset.video.status)
