/** Entry point of the upload page: event handlers and the upload flow. */
import { defaultApiUrl, loadAccess, saveAccess } from '../shared/access.js'
import { openApi } from '../shared/api.js'
import { element } from '../shared/elements.js'
import { hideFailure, showFailure, unmarkInvalid } from '../shared/failure-view.js'
import { showTimeline } from '../shared/timeline-view.js'
import { continueBatch, isPartlyUploaded, nextUpload, openBatch } from './batch.js'
import { inputErrors, needsParts, readInput, toSessionRequest } from './form-input.js'
import { explain } from './messages.js'
import { sendFile } from './transfer.js'
import { discardUnfinished, isSameFile, loadUnfinished, saveUnfinished } from './unfinished-upload.js'
import * as view from './view.js'
import { watch } from './watch.js'

/** The files that are uploaded now, or were uploaded last. */
let batch

/**
 * The current or the last upload of the batch: `{ file, state, percent, api, uuid, assetId, payload, inParts, transfer,
 * watching }`.
 */
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
  const started = isPartlyUploaded(batch, input) ? continueBatch(batch, input) : openBatch(input)
  await uploadNext(started, { isFirst: true })
}

/** Uploads the next file of a batch. The page scrolls to the first one only. */
async function uploadNext(started, { isFirst }) {
  const { input } = started
  const upload = nextUpload(started)
  const api = openApi(input)
  const unfinished = findUnfinished(input, upload.file)
  view.showOpening(isFirst ? 'asking' : 'asking-again')
  try {
    const opened = unfinished
      ? await api.renewSession(unfinished.uuid)
      : await api.createSession(toSessionRequest(input, upload.file))
    batch = started
    begin(upload, api, opened, Boolean(unfinished))
  } catch (error) {
    // This session cannot be renewed; the next upload creates a new one.
    if (unfinished && isSessionOver(error)) forget()
    fail(error, { mayRetry: false })
    return
  }
  if (isFirst) view.bringUploadIntoView()
  await transfer(upload)
}

const isSessionOver = (error) => ['upload_session_closed', 'upload_session_not_found'].includes(error.document?.code)

function begin(upload, api, { asset, upload_session, client_payload }, isResumed) {
  current?.watching.stop()
  const { uuid } = upload_session
  const { input, uploads } = batch
  // Some storage servers do not support form uploads.
  const inParts = isResumed || needsParts(input, upload.file) || upload_session.parts_only === true
  current = Object.assign(upload, {
    state: 'uploading',
    api,
    uuid,
    assetId: asset.id,
    payload: client_payload,
    inParts,
  })
  if (inParts) saveUnfinished(input, uuid, upload.file)
  view.showFiles(uploads)
  view.showOpened(upload)
  view.showSession(upload_session, { isLast: isLast() })
  view.showAsset(asset)
  upload.watching = watch(api, { uuid, assetId: asset.id }, showPolled)
}

function showPolled({ session, asset, timeline }) {
  view.showSession(session, { isLast: isLast() })
  view.showAsset(asset)
  showTimeline(timeline)
}

async function transfer(upload) {
  upload.transfer = new AbortController()
  setState(upload, 'uploading')
  view.showTransferring({ isLast: isLast() })
  view.showUnfinished(null)
  try {
    await sendFile(upload, (progress, parts) => showProgress(upload, progress, parts))
  } catch (error) {
    if (upload.transfer.signal.aborted) return
    setState(upload, 'stopped')
    fail(error, { mayRetry: true })
    return
  }
  // `cancel` continues with the next file.
  if (upload.transfer.signal.aborted) return
  await end(upload, 'uploaded')
}

function showProgress(upload, progress, parts) {
  view.showProgress(progress, parts)
  upload.percent = progress.percent
  view.showFile(batch.uploads.indexOf(upload), upload)
}

/** Whether no other file waits. */
const isLast = () => !batch || !nextUpload(batch)

function setState(upload, state) {
  upload.state = state
  view.showFile(batch.uploads.indexOf(upload), upload)
}

/** Ends an upload and starts the next one. */
async function end(upload, state) {
  setState(upload, state)
  upload.watching.pollNow()
  if (loadUnfinished()?.uuid === upload.uuid) forget()
  if (isLast()) stopped({ mayRetry: false })
  else await uploadNext(batch, { isFirst: false })
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
  const upload = current
  upload.transfer.abort()
  view.showOpening('asking-again')
  try {
    await upload.api.cancelSession(upload.uuid)
  } catch (error) {
    const session = await upload.api.readSession(upload.uuid).catch(() => undefined)
    // The file was received before the session could be cancelled.
    if (session?.status === 'Completed') return end(upload, 'uploaded')
    setState(upload, 'stopped')
    return fail(error, { mayRetry: true })
  }
  await end(upload, 'cancelled')
}

async function cancelAll() {
  for (const upload of batch.uploads.filter(({ state }) => state === 'waiting')) setState(upload, 'cancelled')
  await cancel()
}

function fail(error, { mayRetry }) {
  stopped({ mayRetry })
  showFailure(explain(error))
}

function stopped({ mayRetry }) {
  view.showStopped({ mayRetry, isLast: isLast() })
  labelStart()
}

function forget() {
  discardUnfinished()
  view.showUnfinished(null)
  labelStart()
}

/** The unfinished upload of this file; undefined if there is none. */
function findUnfinished({ apiUrl, organization }, file) {
  const unfinished = loadUnfinished()
  if (!unfinished || !isSameFile(unfinished, file)) return undefined
  const isHere = unfinished.apiUrl === apiUrl && unfinished.organization === organization
  return isHere ? unfinished : undefined
}

function filesChosen() {
  view.showChosen([...element('file').files])
  unmarkInvalid('file')
  unmarkInvalid('title')
  labelStart()
}

function labelStart() {
  element('start').textContent = startLabel(readInput(element('wish')))
}

function startLabel(input) {
  if (input.files.some((file) => findUnfinished(input, file))) return 'Resume upload'
  if (isPartlyUploaded(batch, input)) return 'Upload remaining files'
  return element('retry').hidden ? 'Upload' : 'Start over'
}

function acceptDroppedFiles(event) {
  event.preventDefault()
  element('drop').classList.remove('over')
  if (event.dataTransfer.files.length === 0) return
  element('file').files = event.dataTransfer.files
  filesChosen()
}

async function fillForm() {
  const unfinished = loadUnfinished()
  const access = loadAccess() ?? unfinished ?? {}
  element('api-url').value = access.apiUrl ?? (await defaultApiUrl())
  element('organization').value = access.organization ?? ''
  element('token').value = access.token ?? ''
  view.showUnfinished(unfinished)
}

element('wish').addEventListener('submit', (event) => {
  event.preventDefault()
  void start()
})
element('wish').addEventListener('change', labelStart)
element('wish').addEventListener('input', ({ target }) => unmarkInvalid(target.name))
element('file').addEventListener('change', filesChosen)
element('retry').addEventListener('click', () => void retry())
element('cancel').addEventListener('click', () => void cancel())
element('cancel-all').addEventListener('click', () => void cancelAll())
element('forget').addEventListener('click', forget)
element('drop').addEventListener('dragover', (event) => {
  event.preventDefault()
  element('drop').classList.add('over')
})
element('drop').addEventListener('dragleave', () => element('drop').classList.remove('over'))
element('drop').addEventListener('drop', acceptDroppedFiles)
await fillForm()
