/** The service's API, as far as these pages need it. */

/** A request is sent this often at most. All of these may be repeated without harm. */
const TRIES_MAX = 3

/** A longer `Retry-After` than this is told to the person instead of waited for. */
const WAIT_SECONDS_MAX = 10

/** The service refused: the problem document says why and what to do. */
export class Problem extends Error {
  constructor(document) {
    super(document.detail)
    this.document = document
  }
}

/** No answer that this page may read. */
export class ServiceUnreachable extends Error {}

export function openApi({ apiUrl, organization, token }) {
  const base = `${apiUrl.replace(/\/+$/, '')}/api/v1/${encodeURIComponent(organization)}/`
  const call = (method, path, body, headers = {}) =>
    callPatiently(base + path, {
      method,
      headers: {
        Authorization: `token ${token}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  const session = (uuid) => `assets/upload-sessions/${uuid}/`
  const asset = (id) => `assets/${encodeURIComponent(id)}/`
  return {
    // With the key, a repeated request makes no second session.
    createSession: (wish) =>
      call('POST', 'assets/upload-sessions/', wish, { 'Idempotency-Key': crypto.randomUUID() }),
    readSession: (uuid) => call('GET', session(uuid)),
    renewSession: (uuid) => call('POST', `${session(uuid)}renew/`),
    completeSession: (uuid) => call('POST', `${session(uuid)}complete/`),
    cancelSession: (uuid) => call('DELETE', session(uuid)),
    listParts: (uuid) => call('GET', `${session(uuid)}parts/`),
    signParts: (uuid, fileBytes, numbers) =>
      call('POST', `${session(uuid)}parts/`, { file_size_bytes: fileBytes, numbers }),
    readAsset: (id) => call('GET', asset(id)),
    readTimeline: (id) => call('GET', `${asset(id)}timeline/`),
    readPlan: (id) => call('GET', `${asset(id)}plan/`),
    cancelAsset: (id) => call('POST', `${asset(id)}cancel/`),
    retryAsset: (id) => call('POST', `${asset(id)}retry/`),
  }
}

async function callPatiently(url, request) {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(url, request).catch(() => undefined)
    const waitSeconds = secondsToWait(answer, tries)
    if (tries === TRIES_MAX || waitSeconds === undefined) return read(answer)
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000))
  }
}

/** Undefined when the answer is not one to wait for. */
function secondsToWait(answer, tries) {
  if (!answer) return tries
  if (answer.status !== 429 && answer.status !== 503) return undefined
  const seconds = Number(answer.headers.get('Retry-After') ?? tries)
  return seconds <= WAIT_SECONDS_MAX ? seconds : undefined
}

async function read(answer) {
  if (!answer) throw new ServiceUnreachable('The service gave no answer that this page may read.')
  if (answer.status === 204) return undefined
  const body = await answer.json().catch(() => undefined)
  if (answer.ok && body) return body
  if (body?.code) throw new Problem(body)
  throw new ServiceUnreachable(`What answered is not the service (status ${answer.status}).`)
}
