/** The page: what the person does, and what follows from it. */
import { defaultApiUrl, recallAccess, rememberAccess } from '../shared/access.js'
import { openApi } from '../shared/api.js'
import { element } from '../shared/elements.js'
import { hideFailure, showFailure, unmarkFault } from '../shared/failure-view.js'
import { showTimeline } from '../shared/timeline-view.js'
import { forgetUnfinished, isSameFile, recallUnfinished, rememberUnfinished } from './memory.js'
import { openMeter } from './meter.js'
import { sendInParts } from './parts.js'
import { postForm } from './storage.js'
import * as view from './view.js'
import { watch } from './watch.js'
import { faultsOf, readWish, toSessionWish } from './wish.js'
import { explain } from './words.js'

/** The upload under way, or the last one: `{ api, uuid, payload, file, inParts, transfer, watching }`. */
let current

async function start() {
  const wish = readWish(element('wish'))
  const faults = faultsOf(wish)
  if (faults.length > 0) {
    hideFailure()
    const atFault = faults.map(({ field }) => field)
    showFailure({ heading: 'Something is missing', detail: '', fields: faults, atFault })
    return
  }
  rememberAccess(wish)
  const api = openApi(wish)
  const unfinished = findUnfinished(wish)
  view.showOpening('asking')
  try {
    const opened = unfinished
      ? await api.renewSession(unfinished.uuid)
      : await api.createSession(toSessionWish(wish))
    begin(api, wish, opened, wish.inParts || Boolean(unfinished))
  } catch (error) {
    // The session that could not be renewed is over; what is chosen next begins another.
    if (unfinished && isSessionOver(error)) forget()
    fail(error, { mayRetry: false })
    return
  }
  await transfer(current)
}

const isSessionOver = (error) =>
  ['upload_session_closed', 'upload_session_not_found'].includes(error.document?.code)

function begin(api, wish, { asset, upload_session, client_payload }, wantsParts) {
  current?.watching.stop()
  const { uuid } = upload_session
  // Some storages take no forms; then the service says so.
  const inParts = wantsParts || upload_session.parts_only === true
  current = { api, uuid, payload: client_payload, file: wish.file, inParts }
  if (inParts) rememberUnfinished(wish, uuid, wish.file)
  view.showOpened(uuid, asset.id)
  view.showSession(upload_session)
  view.showAsset(asset)
  current.watching = watch(api, { uuid, assetId: asset.id }, showSeen)
}

function showSeen({ session, asset, timeline }) {
  view.showSession(session)
  view.showAsset(asset)
  showTimeline(timeline)
}

async function transfer(upload) {
  upload.transfer = new AbortController()
  view.showTransferring()
  view.showUnfinished(null)
  try {
    if (upload.inParts) await transferParts(upload)
    else await transferForm(upload)
    stopped({ mayRetry: false })
  } catch (error) {
    if (upload.transfer.signal.aborted) return
    fail(error, { mayRetry: true })
  }
}

async function transferForm({ api, uuid, payload, file, transfer, watching }) {
  const meter = openMeter(file.size)
  const onSent = (bytes) => view.showProgress(meter.read(bytes, now()))
  await postForm(payload, file, { onSent, signal: transfer.signal })
  onSent(file.size)
  // Only a hint: the service notices the file by itself, too, and the watch shows when.
  await api.completeSession(uuid).catch(() => {})
  watching.lookNow()
}

async function transferParts({ api, uuid, file, transfer, watching }) {
  const meter = openMeter(file.size)
  const shown = { bytes: 0, parts: '' }
  const show = () => view.showProgress(meter.read(shown.bytes, now()), shown.parts)
  await sendInParts(api, uuid, file, {
    onSent: (bytes) => {
      shown.bytes = bytes
      show()
    },
    onArrived: (count, of) => {
      shown.parts = `${count} of ${of} parts`
      show()
    },
    signal: transfer.signal,
  })
  await api.completeSession(uuid)
  watching.lookNow()
  forget()
}

/** The form may have expired meanwhile; a renewed session has a fresh one. */
async function retry() {
  view.showOpening('asking-again')
  try {
    current.payload = (await current.api.renewSession(current.uuid)).client_payload
  } catch (error) {
    fail(error, { mayRetry: true })
    return
  }
  await transfer(current)
}

async function cancel() {
  const { api, uuid, transfer, watching } = current
  transfer.abort()
  try {
    await api.cancelSession(uuid)
    watching.lookNow()
    hideFailure()
    stopped({ mayRetry: false })
  } catch (error) {
    fail(error, { mayRetry: true })
  }
  if (recallUnfinished()?.uuid === uuid) forget()
}

function fail(error, { mayRetry }) {
  stopped({ mayRetry })
  showFailure(explain(error))
}

function stopped({ mayRetry }) {
  view.showStopped({ mayRetry })
  labelStart()
}

function forget() {
  forgetUnfinished()
  view.showUnfinished(null)
  labelStart()
}

/** The upload that this file would go on with. */
function findUnfinished({ file, apiUrl, organization }) {
  const unfinished = recallUnfinished()
  if (!unfinished || !file || !isSameFile(unfinished, file)) return undefined
  const isHere = unfinished.apiUrl === apiUrl && unfinished.organization === organization
  return isHere ? unfinished : undefined
}

function fileChosen() {
  const [file] = element('file').files
  if (file) element('title').value = file.name.replace(/\.[^.]+$/, '')
  unmarkFault('file')
  unmarkFault('title')
  labelStart()
}

function labelStart() {
  const goesOn = findUnfinished(readWish(element('wish')))
  const label = element('retry').hidden ? 'Upload' : 'Start anew'
  element('start').textContent = goesOn ? 'Go on with the upload' : label
}

function takeDropped(event) {
  event.preventDefault()
  element('drop').classList.remove('over')
  if (event.dataTransfer.files.length === 0) return
  element('file').files = event.dataTransfer.files
  fileChosen()
}

async function fillIn() {
  const unfinished = recallUnfinished()
  const access = recallAccess() ?? unfinished ?? {}
  element('api-url').value = access.apiUrl ?? (await defaultApiUrl())
  element('organization').value = access.organization ?? ''
  element('token').value = access.token ?? ''
  view.showUnfinished(unfinished)
}

const now = () => performance.now() / 1000

element('wish').addEventListener('submit', (event) => {
  event.preventDefault()
  void start()
})
element('wish').addEventListener('change', labelStart)
element('wish').addEventListener('input', ({ target }) => unmarkFault(target.name))
element('file').addEventListener('change', fileChosen)
element('retry').addEventListener('click', () => void retry())
element('cancel').addEventListener('click', () => void cancel())
element('forget').addEventListener('click', forget)
element('drop').addEventListener('dragover', (event) => {
  event.preventDefault()
  element('drop').classList.add('over')
})
element('drop').addEventListener('dragleave', () => element('drop').classList.remove('over'))
element('drop').addEventListener('drop', takeDropped)
await fillIn()
