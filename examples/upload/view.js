/** Renders the upload page. Contains no logic. */
import { bringIntoView, change, element, line } from '../shared/elements.js'
import { hideFailure } from '../shared/failure-view.js'
import { formatBytes } from '../shared/format.js'
import { describeSession, describeVideo } from './messages.js'

export function showOpened(uuid, assetId) {
  element('upload').hidden = false
  element('history').replaceChildren()
  element('timeline-block').hidden = true
  element('asset-status').textContent = ''
  element('session-status').textContent = ''
  showProgress({ percent: 0, amount: '', pace: [] })
  element('session-uuid').textContent = uuid
  element('asset-id').textContent = assetId
  element('watch').href = `asset.html#${assetId}`
  showState('going')
  bringIntoView('upload', 'upload-heading')
}

/** Shows in the element `where` that a request is pending; hides the buttons. */
export function showOpening(where) {
  hideFailure()
  element('start').disabled = true
  element('retry').hidden = true
  element('cancel').hidden = true
  element(where).textContent = 'Contacting the service…'
  element(where).scrollIntoView({ block: 'nearest' })
}

function hideRequesting() {
  element('asking').textContent = ''
  element('asking-again').textContent = ''
}

export function showTransferring() {
  hideRequesting()
  element('cancel').hidden = false
  showState('going')
}

export function showStopped({ mayRetry }) {
  hideRequesting()
  element('pace').textContent = ''
  element('start').disabled = false
  element('start').classList.toggle('quiet', mayRetry)
  element('retry').hidden = !mayRetry
  element('cancel').hidden = !mayRetry
  if (mayRetry) showState('stopped')
}

export function showProgress({ percent, amount, pace }, parts = '') {
  element('progress').value = percent
  element('progress').textContent = `${percent} %`
  element('amount').textContent = amount
  element('pace').textContent = pace.map((figure) => ` · ${figure}`).join('')
  element('parts').textContent = parts && ` · ${parts}`
}

export function showSession(session) {
  if (change('session-status', describeSession(session))) note(`Session ${session.status}`)
  const state = stateAfter[session.status]
  if (state) showState(state)
  element('watch').hidden = session.status !== 'Completed'
}

const stateAfter = {
  Completed: 'arrived',
  Cancelled: 'cancelled',
  Expired: 'failed',
  Failed: 'failed',
}

const headings = {
  going: 'Uploading',
  stopped: 'Upload interrupted',
  arrived: 'Upload complete',
  cancelled: 'Upload cancelled',
  failed: 'Upload failed',
}

function showState(state) {
  element('upload').dataset.state = state
  change('upload-heading', headings[state])
}

export function showAsset({ video }) {
  if (change('asset-status', describeVideo(video))) note(`Video ${video.status}`)
}

export function showUnfinished(unfinished) {
  element('unfinished').hidden = !unfinished
  if (!unfinished) return
  element('unfinished-text').textContent =
    `“${unfinished.name}” (${formatBytes(unfinished.size)}). Choose the same file again to resume the upload.`
}

function note(text) {
  const last = element('history').lastElementChild
  if (last?.dataset.what === text) return
  const noted = line(`${clock(new Date())} ${text}`)
  noted.dataset.what = text
  element('history').append(noted)
}

const clock = (date) => date.toLocaleTimeString()
