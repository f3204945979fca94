/** Sends one file to storage, as a form or in parts, and completes its upload session. */
import { openMeter } from './meter.js'
import { sendInParts } from './parts.js'
import { postForm } from './storage.js'

/** `show` receives the progress and, for an upload in parts, a text about the parts. */
export const sendFile = (upload, show) => (upload.inParts ? sendParts(upload, show) : sendForm(upload, show))

async function sendForm({ api, uuid, payload, file, transfer }, show) {
  const meter = openMeter(file.size)
  const onSent = (bytes) => show(meter.read(bytes, now()))
  await postForm(payload, file, { onSent, signal: transfer.signal })
  onSent(file.size)
  // This call is optional: the service also detects the file automatically, a little later.
  await api.completeSession(uuid).catch(() => {})
}

async function sendParts({ api, uuid, file, transfer }, show) {
  const meter = openMeter(file.size)
  const sent = { bytes: 0, parts: '' }
  const showSent = () => show(meter.read(sent.bytes, now()), sent.parts)
  await sendInParts(api, uuid, file, {
    onSent: (bytes) => {
      sent.bytes = bytes
      showSent()
    },
    onArrived: (count, total) => {
      sent.parts = `${count} of ${total} parts`
      showSent()
    },
    signal: transfer.signal,
  })
  await api.completeSession(uuid)
}

const now = () => performance.now() / 1000
