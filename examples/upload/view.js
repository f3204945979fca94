/** What the page shows. Nothing here decides anything. */
import { inWords } from './meter.js'
import { describeSession, describeVideo } from './words.js'

export const element = (id) => document.getElementById(id)

export function showOpened(uuid, assetId) {
  element('upload').hidden = false
  element('history').replaceChildren()
  element('timeline-block').hidden = true
  element('asset-status').textContent = ''
  element('session-status').textContent = ''
  element('progress').value = 0
  element('progress-text').textContent = ''
  element('session-uuid').textContent = uuid
  element('asset-id').textContent = assetId
  element('upload-heading').focus()
}

/** Nothing to cancel yet, and nothing else to begin. */
export function showOpening() {
  hideFailure()
  element('start').disabled = true
  element('retry').hidden = true
  element('cancel').hidden = true
}

/** While bytes are on their way there is something to cancel and nothing to begin. */
export function showTransferring() {
  showOpening()
  element('cancel').hidden = false
}

export function showStopped({ mayRetry }) {
  element('start').disabled = false
  element('retry').hidden = !mayRetry
  element('cancel').hidden = !mayRetry
}

export function showProgress({ percent, text }, note = '') {
  element('progress').value = percent
  element('progress').textContent = `${percent} %`
  element('progress-text').textContent = note ? `${text} · ${note}` : text
}

export function showSession(session) {
  if (change('session-status', describeSession(session))) note(`Session ${session.status}`)
}

export function showAsset({ video }) {
  if (change('asset-status', describeVideo(video))) note(`Video ${video.status}`)
}

export function showTimeline(timeline) {
  element('timeline-block').hidden = !timeline
  if (!timeline) return
  const lines = timeline.happened.map(({ at, detail }) => line(`${clock(new Date(at))} ${detail}`))
  element('timeline').replaceChildren(...lines)
  element('awaited').textContent = timeline.awaited?.detail ?? ''
}

export function showFailure({ heading, detail, fields = [], advice, command, reference }) {
  element('failure-heading').textContent = heading
  element('failure-detail').textContent = detail
  element('failure-fields').replaceChildren(...fields.map(line))
  element('failure-advice').textContent = advice ?? ''
  element('failure-command').textContent = command ?? ''
  element('failure-reference').textContent = reference ?? ''
  element('failure').hidden = false
}

export function hideFailure() {
  element('failure').hidden = true
}

export function showUnfinished(unfinished) {
  element('unfinished').hidden = !unfinished
  if (!unfinished) return
  element('unfinished-text').textContent =
    `“${unfinished.name}” (${inWords(unfinished.size)}). Choose the same file again, and only what is missing is sent.`
}

/** A live region that is set to what it says already would be read out again. */
function change(id, text) {
  if (element(id).textContent === text) return false
  element(id).textContent = text
  return true
}

function note(text) {
  const last = element('history').lastElementChild
  if (last?.dataset.what === text) return
  const noted = line(`${clock(new Date())} ${text}`)
  noted.dataset.what = text
  element('history').append(noted)
}

function line(text) {
  const item = document.createElement('li')
  item.textContent = text
  return item
}

const clock = (date) => date.toLocaleTimeString()
