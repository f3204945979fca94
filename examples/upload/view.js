/** Renders the upload page. Contains no logic. */
import { bringIntoView, change, element, line } from '../shared/elements.js'
import { hideFailure } from '../shared/failure-view.js'
import { formatBytes } from '../shared/format.js'
import { titleOf } from './form-input.js'
import { describeSession, describeVideo } from './messages.js'

/** Shows the chosen files in the form. Several files are titled after their names. */
export function showChosen(files) {
  const isList = files.length > 1
  element('title').disabled = isList
  element('title-hint').hidden = !isList
  if (files.length > 0) element('title').value = isList ? '' : titleOf(files[0])
}

/** Shows the files of an upload, if there are several: one row each, with name, state and progress. */
export function showFiles(uploads) {
  const isList = uploads.length > 1
  element('files').replaceChildren(...(isList ? uploads.map(toRow) : []))
  // In a list, each file has its own progress bar.
  element('progress').hidden = isList
}

function toRow(upload) {
  const row = document.createElement('li')
  const name = document.createElement('span')
  name.className = 'file-name'
  name.textContent = upload.file.name
  const state = document.createElement('span')
  state.className = 'file-state'
  const progress = document.createElement('progress')
  progress.max = 100
  progress.setAttribute('aria-label', upload.file.name)
  row.append(name, state, progress)
  fillRow(row, upload)
  return row
}

/** Updates the row of a file; `index` is its position in the list. */
export function showFile(index, upload) {
  const row = element('files').children[index]
  if (row) fillRow(row, upload)
}

const stateTexts = {
  waiting: () => 'Waiting',
  uploading: ({ percent }) => `${percent ?? 0} %`,
  uploaded: () => 'Uploaded',
  stopped: () => 'Interrupted',
  cancelled: () => 'Cancelled',
}

function fillRow(row, upload) {
  const { state, percent, assetId } = upload
  row.dataset.state = state
  row.querySelector('.file-state').textContent = stateTexts[state](upload)
  row.querySelector('progress').value = state === 'uploaded' ? 100 : (percent ?? 0)
  const name = row.querySelector('.file-name')
  if (state === 'uploaded' && name.childElementCount === 0) name.replaceChildren(assetLink(assetId, name.textContent))
}

/** Opens a new tab, because leaving this page would end the other uploads. The new tab needs the token of this one. */
function assetLink(assetId, text) {
  const link = document.createElement('a')
  link.href = `asset.html#${assetId}`
  link.target = '_blank'
  link.rel = 'opener'
  link.textContent = text
  return link
}

export function showOpened({ file, uuid, assetId }) {
  element('upload').hidden = false
  element('history').replaceChildren()
  element('timeline-block').hidden = true
  element('asset-status').textContent = ''
  element('session-status').textContent = ''
  showProgress({ percent: 0, amount: '', pace: [] })
  element('file-name').textContent = file.name
  element('session-uuid').textContent = uuid
  element('asset-id').textContent = assetId
  element('watch').href = `asset.html#${assetId}`
  showState('going')
}

export const bringUploadIntoView = () => bringIntoView('upload', 'upload-heading')

/** Shows in the element `where` that a request is pending; hides the buttons. */
export function showOpening(where) {
  hideFailure()
  element('start').disabled = true
  element('retry').hidden = true
  showCancel(false, true)
  element(where).textContent = 'Contacting the service…'
  if (where === 'asking') element(where).scrollIntoView({ block: 'nearest' })
}

function hideRequesting() {
  element('asking').textContent = ''
  element('asking-again').textContent = ''
}

export function showTransferring({ isLast }) {
  hideRequesting()
  showCancel(true, isLast)
  showState('going')
}

function showCancel(isShown, isLast) {
  element('cancel').hidden = !isShown
  element('cancel').textContent = isLast ? 'Cancel' : 'Cancel this file'
  element('cancel-all').hidden = !isShown || isLast
}

/** `isLast`: no other file waits. */
export function showStopped({ mayRetry, isLast }) {
  hideRequesting()
  element('pace').textContent = ''
  element('start').disabled = false
  element('start').classList.toggle('quiet', mayRetry)
  element('retry').hidden = !mayRetry
  showCancel(mayRetry, isLast)
  if (mayRetry || !isLast) showState('stopped')
}

export function showProgress({ percent, amount, pace }, parts = '') {
  element('progress').value = percent
  element('progress').textContent = `${percent} %`
  element('amount').textContent = amount
  element('pace').textContent = pace.map((figure) => ` · ${figure}`).join('')
  element('parts').textContent = parts && ` · ${parts}`
}

/** Only the session of the last file ends the upload as a whole. */
export function showSession(session, { isLast }) {
  if (change('session-status', describeSession(session))) note(`Session ${session.status}`)
  const state = stateAfter[session.status]
  if (state && isLast) showState(state)
  element('watch').hidden = !isLast || session.status !== 'Completed'
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
