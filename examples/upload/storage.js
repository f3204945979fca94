/** Sends bytes to storage. XMLHttpRequest, because fetch does not tell how much has been sent. */

/** Storage answered that it does not take this. */
export class StorageRefusal extends Error {
  constructor(status, code) {
    super(`Storage answered ${status}${code && ` ${code}`}.`)
    this.status = status
    this.code = code
  }
}

/**
 * There was no answer that this page may read. `reason` is what most likely happened: "closed" (storage is
 * there, but not for pages of this origin), "away" (nobody answers), or "cut" (it broke on the way).
 */
export class StorageUnreachable extends Error {
  constructor(reason) {
    super('Storage gave no answer that this page may read.')
    this.reason = reason
  }
}

/** The form of the specification: every field but `upload_link`, as it is, and the file as the last one. */
export function postForm({ upload_link, ...fields }, file, { onSent, signal }) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', file)
  // The form's other fields are counted too; they are not the person's.
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
    let hasBegun = false
    request.upload.addEventListener('progress', ({ loaded }) => {
      hasBegun ||= loaded > 0
      onSent(loaded)
    })
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve()
      else reject(new StorageRefusal(request.status, errorCode(request.responseText)))
    })
    request.addEventListener('error', () => {
      if (hasBegun) reject(new StorageUnreachable('cut'))
      else whyNotBegun(url).then((reason) => reject(new StorageUnreachable(reason)), reject)
    })
    request.addEventListener('abort', () => reject(signal.reason))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.open(method, url)
    request.send(body)
  })
}

/** A request that reads nothing needs no permission: if it gets through, permission is what was missing. */
async function whyNotBegun(url) {
  const answer = await fetch(new URL(url).origin, { mode: 'no-cors' }).catch(() => undefined)
  return answer ? 'closed' : 'away'
}

function errorCode(xml) {
  const document = new DOMParser().parseFromString(xml, 'application/xml')
  return document.querySelector('Code')?.textContent ?? ''
}
