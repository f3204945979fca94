/** Entry point of the asset page: event handlers and polling. */
import { defaultApiUrl, loadAccess, saveAccess } from '../shared/access.js'
import { openApi } from '../shared/api.js'
import { element } from '../shared/elements.js'
import { hideFailure, showFailure, unmarkInvalid } from '../shared/failure-view.js'
import { explainCall } from '../shared/failures.js'
import { showTimeline } from '../shared/timeline-view.js'
import { openPlayer } from './player.js'
import { showRenditions } from './renditions.js'
import * as view from './view.js'
import { watch } from './watch.js'

/** The asset on the page: `{ api, id, state, stop, opening, player, playing, reloadedFor }`. */
let current

/** The asset ID is in the URL fragment, which is not sent to servers. The token is never part of the URL. */
const idFromUrl = () => decodeURIComponent(location.hash.slice(1))

async function open() {
  leave()
  const access = loadAccess()
  const id = idFromUrl()
  await fillForm(access, id)
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
    show: (state) => show(shown, state),
    onUnreachable: view.showUnreachable,
    onRejected: (error) => {
      element('access').hidden = false
      showFailure(explainCall(error))
    },
  })
}

function show(shown, state) {
  shown.state = state
  view.showAsset(state.asset)
  view.showPlan(state.plan)
  showTimeline(state.timeline)
  showRenditions(state.plan, state.asset.video, shown.playing)
  const { playback_url } = state.asset.video
  if (playback_url && !shown.opening) shown.opening = play(shown, playback_url)
  offerUpgrade(shown)
}

async function play(shown, url) {
  const duration = () => shown.state.asset.video.duration
  const player = await openPlayer(element('video'), url, {
    onReady: () => view.showPlayer(true),
    onReach: (seconds, isWhole) => view.showReach(seconds, isWhole, duration()),
    onQuality: (height) => {
      shown.playing = height
      showRenditions(shown.state.plan, shown.state.asset.video, height)
    },
    onWaiting: view.showWaiting,
    onFailure: view.showPlayerFailure,
  })
  // Another video may have been opened while the library was loading.
  if (current === shown) shown.player = player
  else player.close()
}

/** Offers qualities that were encoded after the manifest was loaded. Before playback, it reloads without asking. */
function offerUpgrade(shown) {
  const { player, state } = shown
  if (!player || player.heights().length === 0) return
  const newQualities = state.asset.video.renditions
    .filter(({ status, height }) => status === 'Completed' && !player.heights().includes(height))
    .map(({ name }) => name)
  const isUnnoticed = !player.hasStarted() && shown.reloadedFor !== newQualities.join()
  if (newQualities.length > 0 && isUnnoticed) {
    shown.reloadedFor = newQualities.join()
    player.reload()
    return
  }
  view.showUpgrade(newQualities)
}

/** Reloads the manifest at the current position. */
function reload() {
  view.showUpgrade([])
  view.showPlayerFailure('')
  current.player.reload()
}

async function act(action, message) {
  const { api, id } = current
  hideFailure()
  view.showRequesting(message)
  try {
    await api[action](id)
  } catch (error) {
    showFailure(explainCall(error))
  }
  view.showRequesting('')
  follow(current)
}

async function fillForm(access, id) {
  element('api-url').value = access?.apiUrl ?? (await defaultApiUrl())
  element('organization').value = access?.organization ?? ''
  element('token').value = access?.token ?? ''
  element('asset-id').value = id
}

function submitAccess() {
  const fields = new FormData(element('access'))
  const text = (name) => String(fields.get(name)).trim()
  const errors = [
    [!/^https?:/.test(text('apiUrl')), 'apiUrl', 'Enter the API URL.'],
    [text('organization') === '', 'organization', 'Enter the organization.'],
    [text('token') === '', 'token', 'Enter an API token.'],
    [text('assetId') === '', 'assetId', 'Enter an asset ID.'],
  ].filter(([isInvalid]) => isInvalid)
  hideFailure()
  if (errors.length > 0) {
    showFailure({
      heading: 'Check the form',
      detail: '',
      fields: errors.map(([, field, message]) => ({ field, message })),
      invalidFields: errors.map(([, field]) => field),
    })
    return
  }
  saveAccess({
    apiUrl: text('apiUrl'),
    organization: text('organization'),
    token: text('token'),
  })
  const fragment = `#${encodeURIComponent(text('assetId'))}`
  if (location.hash === fragment) void open()
  else location.hash = fragment
}

element('access').addEventListener('submit', (event) => {
  event.preventDefault()
  submitAccess()
})
element('access').addEventListener('input', ({ target }) => unmarkInvalid(target.name))
element('cancel').addEventListener('click', () => void act('cancelAsset', 'Cancelling…'))
element('retry').addEventListener('click', () => void act('retryAsset', 'Contacting the service…'))
element('upgrade').addEventListener('click', reload)
element('reload').addEventListener('click', reload)
window.addEventListener('hashchange', () => void open())
await open()
