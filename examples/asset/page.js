/** The page: which asset it shows, what the person does, and what follows from it. */
import { defaultApiUrl, recallAccess, rememberAccess } from '../shared/access.js'
import { openApi } from '../shared/api.js'
import { element } from '../shared/elements.js'
import { hideFailure, showFailure, unmarkFault } from '../shared/failure-view.js'
import { explainCall } from '../shared/failures.js'
import { showTimeline } from '../shared/timeline-view.js'
import { openPlayer } from './player.js'
import { showRenditions } from './renditions.js'
import * as view from './view.js'
import { watch } from './watch.js'

/** What is shown: `{ api, id, seen, stop, opening, player, playing, renewedFor }`. */
let current

/** The token is never in the address; the asset is, behind the #, which no server sees. */
const addressedId = () => decodeURIComponent(location.hash.slice(1))

async function open() {
  leave()
  const access = recallAccess()
  const id = addressedId()
  await fillIn(access, id)
  element('access').hidden = Boolean(access?.token && id)
  if (!element('access').hidden) return
  current = { api: openApi(access), id }
  follow(current)
}

function leave() {
  current?.stop?.()
  current?.player?.close()
  current = undefined
  element('asset').hidden = true
  view.showPlayer(false)
  hideFailure()
}

function follow(shown) {
  shown.stop?.()
  shown.stop = watch(shown.api, shown.id, {
    show: (seen) => show(shown, seen),
    onSilence: view.showSilence,
    onRefusal: (error) => {
      element('access').hidden = false
      showFailure(explainCall(error))
    },
  })
}

function show(shown, seen) {
  shown.seen = seen
  view.showAsset(seen.asset)
  view.showPlan(seen.plan)
  showTimeline(seen.timeline)
  showRenditions(seen.plan, seen.asset.video, shown.playing)
  const { playback_url } = seen.asset.video
  if (playback_url && !shown.opening) shown.opening = play(shown, playback_url)
  offerUpgrade(shown)
}

async function play(shown, url) {
  const duration = () => shown.seen.asset.video.duration
  const player = await openPlayer(element('video'), url, {
    onReady: () => view.showPlayer(true),
    onReach: (seconds, isWhole) => view.showReach(seconds, isWhole, duration()),
    onQuality: (height) => {
      shown.playing = height
      showRenditions(shown.seen.plan, shown.seen.asset.video, height)
    },
    onWaiting: view.showWaiting,
    onFailure: view.showPlayerFailure,
  })
  // Another video may have been asked for while the library was on its way.
  if (current === shown) shown.player = player
  else player.close()
}

/** Qualities that came after the player read the list. Who has not begun to watch gets them unasked. */
function offerUpgrade(shown) {
  const { player, seen } = shown
  if (!player || player.heights().length === 0) return
  const news = seen.asset.video.renditions
    .filter(({ status, height }) => status === 'Completed' && !player.heights().includes(height))
    .map(({ name }) => name)
  const isUnasked = !player.hasBegun() && shown.renewedFor !== news.join()
  if (news.length > 0 && isUnasked) {
    shown.renewedFor = news.join()
    player.reload()
    return
  }
  view.showUpgrade(news)
}

/** Loads the list of qualities again; the place, and whether it plays, stay as they are. */
function reload() {
  view.showUpgrade([])
  view.showPlayerFailure('')
  current.player.reload()
}

async function act(doing, words) {
  const { api, id } = current
  hideFailure()
  view.showAsking(words)
  try {
    await api[doing](id)
  } catch (error) {
    showFailure(explainCall(error))
  }
  view.showAsking('')
  follow(current)
}

async function fillIn(access, id) {
  element('api-url').value = access?.apiUrl ?? (await defaultApiUrl())
  element('organization').value = access?.organization ?? ''
  element('token').value = access?.token ?? ''
  element('asset-id').value = id
}

function takeAccess() {
  const fields = new FormData(element('access'))
  const text = (name) => String(fields.get(name)).trim()
  const faults = [
    [!/^https?:/.test(text('apiUrl')), 'apiUrl', 'Enter the address of the service.'],
    [text('organization') === '', 'organization', 'Enter the organization.'],
    [text('token') === '', 'token', 'Enter a token.'],
    [text('assetId') === '', 'assetId', 'Enter the id of an asset.'],
  ].filter(([isFault]) => isFault)
  hideFailure()
  if (faults.length > 0) {
    showFailure({
      heading: 'Something is missing',
      detail: '',
      fields: faults.map(([, field, sentence]) => ({ field, sentence })),
      atFault: faults.map(([, field]) => field),
    })
    return
  }
  rememberAccess({
    apiUrl: text('apiUrl'),
    organization: text('organization'),
    token: text('token'),
  })
  const address = `#${encodeURIComponent(text('assetId'))}`
  if (location.hash === address) void open()
  else location.hash = address
}

element('access').addEventListener('submit', (event) => {
  event.preventDefault()
  takeAccess()
})
element('access').addEventListener('input', ({ target }) => unmarkFault(target.name))
element('cancel').addEventListener('click', () => void act('cancelAsset', 'Cancelling…'))
element('retry').addEventListener('click', () => void act('retryAsset', 'Asking the service…'))
element('upgrade').addEventListener('click', reload)
element('reload').addEventListener('click', reload)
window.addEventListener('hashchange', () => void open())
await open()
