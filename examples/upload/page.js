/** Entry point of the upload page: event handlers and the upload flow. */
import { defaultApiUrl, loadAccess, saveAccess } from '../shared/access.js'
import { openApi } from '../shared/api.js'
import { element } from '../shared/elements.js'
import { hideFailure, showFailure, unmarkInvalid } from '../shared/failure-view.js'
import { showTimeline } from '../shared/timeline-view.js'
import { inputErrors, readInput, toSessionRequest } from './form-input.js'
import { explain } from './messages.js'
import { openMeter } from './meter.js'
import { sendInParts } from './parts.js'
import { postForm } from './storage.js'
import { discardUnfinished, isSameFile, loadUnfinished, saveUnfinished } from './unfinished-upload.js'
import * as view from './view.js'
import { watch } from './watch.js'

/** The current or the last upload: `{ api, uuid, payload, file, inParts, transfer, watching }`. */
let current

async function start() {
  const input = readInput(element('wish'))
  const errors = inputErrors(input)
  if (errors.length > 0) {
    hideFailure()
    const invalidFields = errors.map(({ field }) => field)
    showFailure({ heading: 'Check the form', detail: '', fields: errors, invalidFields })
    return
  }
  saveAccess(input)
  const api = openApi(input)
  const unfinished = findUnfinished(input)
  view.showOpening('asking')
  try {
    const opened = unfinished
      ? await api.renewSession(unfinished.uuid)
      : await api.createSession(toSessionRequest(input))
    begin(api, input, opened, input.inParts || Boolean(unfinished))
  } catch (error) {
    // This session cannot be renewed; the next upload creates a new one.
    if (unfinished && isSessionOver(error)) forget()
    fail(error, { mayRetry: false })
    return
  }
  await transfer(current)
}

const isSessionOver = (error) => ['upload_session_closed', 'upload_session_not_found'].includes(error.document?.code)

function begin(api, input, { asset, upload_session, client_payload }, wantsParts) {
  current?.watching.stop()
  const { uuid } = upload_session
  // Some storage servers do not support form uploads.
  const inParts = wantsParts || upload_session.parts_only === true
  current = { api, uuid, payload: client_payload, file: input.file, inParts }
  if (inParts) saveUnfinished(input, uuid, input.file)
  view.showOpened(uuid, asset.id)
  view.showSession(upload_session)
  view.showAsset(asset)
  current.watching = watch(api, { uuid, assetId: asset.id }, showPolled)
}

function showPolled({ session, asset, timeline }) {
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
  // This call is optional: the service also detects the file automatically, a little later.
  await api.completeSession(uuid).catch(() => {})
  watching.pollNow()
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
    onArrived: (count, total) => {
      shown.parts = `${count} of ${total} parts`
      show()
    },
    signal: transfer.signal,
  })
  await api.completeSession(uuid)
  watching.pollNow()
  forget()
}

/** Renews the session first, because its form may have expired. */
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
    watching.pollNow()
    hideFailure()
    stopped({ mayRetry: false })
  } catch (error) {
    fail(error, { mayRetry: true })
  }
  if (loadUnfinished()?.uuid === uuid) forget()
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
  discardUnfinished()
  view.showUnfinished(null)
  labelStart()
}

/** The unfinished upload of this file; undefined if there is none. */
function findUnfinished({ file, apiUrl, organization }) {
  const unfinished = loadUnfinished()
  if (!unfinished || !file || !isSameFile(unfinished, file)) return undefined
  const isHere = unfinished.apiUrl === apiUrl && unfinished.organization === organization
  return isHere ? unfinished : undefined
}

function fileChosen() {
  const [file] = element('file').files
  if (file) element('title').value = file.name.replace(/\.[^.]+$/, '')
  unmarkInvalid('file')
  unmarkInvalid('title')
  labelStart()
}

function labelStart() {
  const isResumable = findUnfinished(readInput(element('wish')))
  const label = element('retry').hidden ? 'Upload' : 'Start over'
  element('start').textContent = isResumable ? 'Resume upload' : label
}

function acceptDroppedFile(event) {
  event.preventDefault()
  element('drop').classList.remove('over')
  if (event.dataTransfer.files.length === 0) return
  element('file').files = event.dataTransfer.files
  fileChosen()
}

async function fillForm() {
  const unfinished = loadUnfinished()
  const access = loadAccess() ?? unfinished ?? {}
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
element('wish').addEventListener('input', ({ target }) => unmarkInvalid(target.name))
element('file').addEventListener('change', fileChosen)
element('retry').addEventListener('click', () => void retry())
element('cancel').addEventListener('click', () => void cancel())
element('forget').addEventListener('click', forget)
element('drop').addEventListener('dragover', (event) => {
  event.preventDefault()
  element('drop').classList.add('over')
})
element('drop').addEventListener('dragleave', () => element('drop').classList.remove('over'))
element('drop').addEventListener('drop', acceptDroppedFile)
await fillForm()
