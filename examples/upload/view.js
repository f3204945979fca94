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
  showProgress({ percent: 0, amount: '', pace: [] })
  element('session-uuid').textContent = uuid
  element('asset-id').textContent = assetId
  showState('going')
  bringIntoView('upload', 'upload-heading')
}

/** Nothing to cancel yet, and nothing else to begin. An answer may take seconds: `where` says that it is awaited. */
export function showOpening(where) {
  hideFailure()
  element('start').disabled = true
  element('retry').hidden = true
  element('cancel').hidden = true
  element(where).textContent = 'Asking the service…'
  element(where).scrollIntoView({ block: 'nearest' })
}

function hideAsking() {
  element('asking').textContent = ''
  element('asking-again').textContent = ''
}

/** While bytes are on their way there is something to cancel and nothing to begin. */
export function showTransferring() {
  hideAsking()
  element('cancel').hidden = false
  showState('going')
}

/** The person may begin something again; a speed or a time left would be those of the past. */
export function showStopped({ mayRetry }) {
  hideAsking()
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
}

const stateAfter = {
  Completed: 'arrived',
  Cancelled: 'cancelled',
  Expired: 'failed',
  Failed: 'failed',
}

const headings = {
  going: 'Uploading',
  stopped: 'The upload has stopped',
  arrived: 'The file has arrived',
  cancelled: 'The upload was cancelled',
  failed: 'The upload failed',
}

function showState(state) {
  element('upload').dataset.state = state
  change('upload-heading', headings[state])
}

export function showAsset({ video }) {
  if (change('asset-status', describeVideo(video))) note(`Video ${video.status}`)
}

export function showTimeline(timeline) {
  element('timeline-block').hidden = !timeline
  if (!timeline) return
  const lines = timeline.happened.map(({ at, detail }) => line(`${clock(new Date(at))} ${detail}`))
  element('timeline').replaceChildren(...lines)
  element('awaited').textContent = timeline.awaited ? inTime(timeline.awaited) : ''
}

const inTime = ({ detail, until }) =>
  until ? `Until ${moment(new Date(until))}: ${detail}` : detail

/** `fields` are listed, each as `{ field, sentence }`; `atFault` names those of the form to mark. */
export function showFailure({
  heading,
  detail,
  fields = [],
  atFault = [],
  advice,
  command,
  reference,
}) {
  element('failure-heading').textContent = heading
  element('failure-detail').textContent = detail
  element('failure-fields').replaceChildren(...fields.map(faultLine))
  element('failure-advice').textContent = advice ?? ''
  element('failure-command').textContent = command ?? ''
  element('failure-reference').textContent = reference ?? ''
  element('failure').hidden = false
  for (const field of atFault) markFault(field)
  bringIntoView('failure', 'failure-heading')
}

export function hideFailure() {
  element('failure').hidden = true
  for (const input of document.querySelectorAll('[aria-invalid]')) unmarkFault(input.name)
}

/** Also as soon as the person does something about it. */
export function unmarkFault(field) {
  for (const input of inputsOf(field)) input.removeAttribute('aria-invalid')
}

function markFault(field) {
  for (const input of inputsOf(field)) input.setAttribute('aria-invalid', 'true')
}

const inputsOf = (field) => document.getElementsByName(field)

/** Leads to the field. */
function faultLine({ field, sentence }) {
  const [input] = inputsOf(field)
  if (!input) return line(sentence)
  const link = document.createElement('a')
  link.href = '#wish'
  link.textContent = sentence
  link.addEventListener('click', (event) => {
    event.preventDefault()
    input.focus()
  })
  const item = line('')
  item.append(link)
  return item
}

/** What follows from a click may be below the fold; a reader's focus goes along. */
function bringIntoView(id, headingId) {
  element(headingId).focus({ preventScroll: true })
  element(id).scrollIntoView({ block: 'start' })
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

const moment = (date) =>
  date.toLocaleString(undefined, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
  })
const clock = (date) => date.toLocaleTimeString()
