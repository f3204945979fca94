/** Client for the parts of the API that these pages use. */

/** Maximum number of attempts. All requests made here can be repeated safely. */
const ATTEMPTS_MAX = 3

/** Maximum `Retry-After` to wait for; a longer one is reported as an error. */
const WAIT_SECONDS_MAX = 10

/** An error response with problem details. */
export class Problem extends Error {
  constructor(document) {
    super(document.detail)
    this.document = document
  }
}

/** There was no response, or none that this page may read. */
export class ServiceUnreachable extends Error {}

export function openApi({ apiUrl, organization, token }) {
  const base = `${apiUrl.replace(/\/+$/, '')}/api/v1/${encodeURIComponent(organization)}/`
  const call = (method, path, body, headers = {}) =>
    callWithRetries(base + path, {
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
    // The key prevents a retry from creating a second session.
    createSession: (body) => call('POST', 'assets/upload-sessions/', body, { 'Idempotency-Key': crypto.randomUUID() }),
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

async function callWithRetries(url, request) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, request).catch(() => undefined)
    const waitSeconds = retryDelay(response, attempt)
    if (attempt === ATTEMPTS_MAX || waitSeconds === undefined) return read(response)
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000))
  }
}

/** Seconds until the next attempt; undefined if the response is final. */
function retryDelay(response, attempt) {
  if (!response) return attempt
  if (response.status !== 429 && response.status !== 503) return undefined
  const seconds = Number(response.headers.get('Retry-After') ?? attempt)
  return seconds <= WAIT_SECONDS_MAX ? seconds : undefined
}

async function read(response) {
  if (!response) throw new ServiceUnreachable('The browser received no readable response.')
  if (response.status === 204) return undefined
  const body = await response.json().catch(() => undefined)
  if (response.ok && body) return body
  if (body?.code) throw new Problem(body)
  throw new ServiceUnreachable(`The response is not from the Reelkeep API (status ${response.status}).`)
}
