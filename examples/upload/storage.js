/** Sends data to storage with XMLHttpRequest, because fetch does not report upload progress. */

/** Storage responded with an error. */
export class StorageRejection extends Error {
  constructor(status, code) {
    super(`Storage returned ${status}${code && ` ${code}`}.`)
    this.status = status
    this.code = code
  }
}

/**
 * There was no response that this page may read. `reason` is the most likely cause: "closed" (CORS does not
 * allow this origin), "away" (no connection), or "cut" (the connection was lost during the upload).
 */
export class StorageUnreachable extends Error {
  constructor(reason) {
    super('The browser received no readable response from storage.')
    this.reason = reason
  }
}

/** Posts all fields of `client_payload` except `upload_link`, followed by the file. */
export function postForm({ upload_link, ...fields }, file, { onSent, signal }) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', file)
  // The progress also counts the other form fields, so it can exceed the file size.
  return send('POST', upload_link, form, {
    onSent: (bytes) => onSent(Math.min(bytes, file.size)),
    signal,
  })
}

export function putPart(url, bytes, { onSent, signal }) {
  return send('PUT', url, bytes, { onSent, signal })
}

function send(method, url, body, { onSent, signal }) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    let hasStarted = false
    request.upload.addEventListener('progress', ({ loaded }) => {
      hasStarted ||= loaded > 0
      onSent(loaded)
    })
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve()
      else reject(new StorageRejection(request.status, errorCode(request.responseText)))
    })
    request.addEventListener('error', () => {
      if (hasStarted) reject(new StorageUnreachable('cut'))
      else reasonNotStarted(url).then((reason) => reject(new StorageUnreachable(reason)), reject)
    })
    request.addEventListener('abort', () => reject(signal.reason))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.open(method, url)
    request.send(body)
  })
}

/** Finds out whether CORS or the network is the cause: a no-cors request succeeds without CORS permission. */
async function reasonNotStarted(url) {
  const response = await fetch(new URL(url).origin, { mode: 'no-cors' }).catch(() => undefined)
  return response ? 'closed' : 'away'
}

function errorCode(xml) {
  const document = new DOMParser().parseFromString(xml, 'application/xml')
  return document.querySelector('Code')?.textContent ?? ''
}
