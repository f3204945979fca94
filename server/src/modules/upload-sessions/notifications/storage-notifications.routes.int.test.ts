/** Notifications from storage are hints: the service always checks storage itself. */
import { randomBytes } from 'node:crypto'
import type { uploadSessions as contract } from '@reelkeep/contract'
import {
  ApiProcess,
  type Caller,
  HttpProxy,
  newCaller,
  openSession,
  postForm,
  resetPeer,
  respond,
  Superuser,
  stackEnv,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const BUCKET = 'reelkeep-uploads'
const secret = randomBytes(24).toString('hex')
const env = stackEnv()
const superuser = await opened(Superuser.open())
const storageProxy = await opened(HttpProxy.open(env.STORAGE_ENDPOINT))
const api = await opened(
  ApiProcess.start({
    LOG_LEVEL: 'trace',
    STORAGE_EVENTS_SECRET: secret,
    STORAGE_ENDPOINT: storageProxy.url,
    STORAGE_PUBLIC_ENDPOINT: env.STORAGE_ENDPOINT,
  }),
)
let caller: Caller
beforeEach(async () => {
  caller = await newCaller(api.send)
})
afterEach(() => storageProxy.reset())

type Opened = Awaited<ReturnType<typeof openSession>>

const record = (key: string, { bucket = BUCKET, eventName = 's3:ObjectCreated:Post' } = {}) => ({
  eventVersion: '2.2',
  eventSource: 'ceph:s3',
  awsRegion: '',
  eventName,
  s3: { bucket: { name: bucket, ownerIdentity: {} }, object: { key, size: 32, eTag: 'x' } },
})
const message = (...records: object[]) => JSON.stringify({ Records: records })
const notification = ({ client_payload }: Opened) => message(record(client_payload.key))

async function send(body: string, { at = api, path = `/storage-events/${secret}/` } = {}) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(at.operationsUrl + path, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

const pathOf = ({ upload_session }: Opened) => `assets/upload-sessions/${upload_session.uuid}/`
const read = async (session: Opened) => (await caller.get<contract.UploadSessionDetails>(pathOf(session))).body

/** A session whose file is in storage and was not checked yet. */
async function uploaded(): Promise<Opened> {
  const session = await openSession(caller)
  expect(await postForm(session)).toBe(204)
  return session
}

async function uploadedElsewhere() {
  const other = await newCaller(api.send)
  const session = await openSession(other)
  expect(await postForm(session)).toBe(204)
  return { caller: other, session }
}

describe('a storage notification, 204', () => {
  it('completes the session and queues its asset', async () => {
    const session = await uploaded()
    expect(await send(notification(session))).toEqual({ status: 204, text: '' })
    expect(await read(session)).toMatchObject({ status: 'Completed', error: null })
    const { body } = await caller.get(`assets/${session.asset.id}/`)
    expect(body).toMatchObject({ bytes: 32, video: { status: 'Queued' } })
  })

  it('works with the longest allowed secret', async () => {
    const longest = 'x'.repeat(128)
    await using other = await ApiProcess.start({ STORAGE_EVENTS_SECRET: longest })
    const session = await uploaded()
    const path = `/storage-events/${longest}/`
    expect((await send(notification(session), { at: other, path })).status).toBe(204)
    expect((await read(session)).status).toBe('Completed')
  })

  it('completes every session in the message', async () => {
    const sessions = [await uploaded(), await uploaded(), await uploaded()]
    const records = sessions.map(({ client_payload }) => record(client_payload.key))
    expect((await send(message(...records))).status).toBe(204)
    for (const session of sessions) expect((await read(session)).status).toBe('Completed')
  })

  it('lets the next sweep delete a file that was posted after the session had ended', async () => {
    const session = await uploaded()
    await send(notification(session))
    const isDue = async () => {
      const [row] = await superuser.query<{ isDue: boolean }>(
        'select look_at <= now() as "isDue" from upload_sessions where uuid = $1',
        [session.upload_session.uuid],
      )
      return row?.isDue
    }
    expect(await isDue()).toBe(false)
    expect(await postForm(session)).toBe(204)
    expect((await send(notification(session))).status).toBe(204)
    expect(await isDue()).toBe(true)
  })

  it('changes nothing if the file is not in storage', async () => {
    const session = await openSession(caller)
    const before = await read(session)
    expect((await send(notification(session))).status).toBe(204)
    expect(await read(session)).toEqual(before)
    expect(before.status).toBe('Created')
  })

  it('skips sessions of a suspended organization and completes the others in the message', async () => {
    const [suspended, other] = [await uploaded(), await uploadedElsewhere()]
    const suspend = 'insert into held_organizations (organization_id) values ($1)'
    await superuser.query(suspend, [caller.organizationId])
    const keys = [suspended.client_payload.key, other.session.client_payload.key]
    const notice = message(...keys.map((key) => record(key)))
    expect(await send(notice)).toEqual({ status: 204, text: '' })
    expect((await read(suspended)).status).toBe('Created')
    expect((await other.caller.get(pathOf(other.session))).body).toMatchObject({
      status: 'Completed',
    })
  })

  it('changes nothing when repeated, even ten times concurrently', async () => {
    const session = await uploaded()
    const responses = await Promise.all(Array.from({ length: 10 }, () => send(notification(session))))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]))
    const completed = await read(session)
    expect(completed.status).toBe('Completed')
    expect((await send(notification(session))).status).toBe(204)
    expect(await read(session)).toEqual(completed)
    const happenings = await superuser.query(`select from asset_happenings where asset_id = $1 and what = 'uploaded'`, [
      session.asset.id,
    ])
    expect(happenings).toHaveLength(1)
  })

  it('counts the session once, as detected by a notification', async () => {
    const count = async () => {
      const text = await (await fetch(`${api.operationsUrl}/metrics`)).text()
      const line = /^reelkeep_upload_sessions_ended_total\{status="Completed",detected_by="notification"\} (\d+)$/m
      return Number(line.exec(text)?.[1] ?? 0)
    }
    const before = await count()
    const session = await uploaded()
    await send(notification(session))
    await send(notification(session))
    expect(await count()).toBe(before + 1)
  })

  it.each(['s3:ObjectRemoved:Delete', 's3:ObjectRestore:Post', ''])('ignores events of type %j', async (eventName) => {
    const session = await uploaded()
    const notice = message(record(session.client_payload.key, { eventName }))
    expect((await send(notice)).status).toBe(204)
    expect((await read(session)).status).toBe('Created')
  })

  it('ignores files in other buckets', async () => {
    const session = await uploaded()
    const notice = message(record(session.client_payload.key, { bucket: 'somebody-elses' }))
    expect((await send(notice)).status).toBe(204)
    expect((await read(session)).status).toBe('Created')
  })

  it('ignores unknown keys and handles the others in the message', async () => {
    const session = await uploaded()
    const { key } = session.client_payload
    const uuid = session.upload_session.uuid
    const hostile = [
      '',
      '/',
      'video.mp4',
      `../../${key}`,
      `${key}/`,
      `${key}' or true --`,
      `${key}\u0000`,
      key.toUpperCase(),
      `nobody99/${session.asset.id}/${uuid}`,
      'x'.repeat(10_000),
    ].map((each) => record(each))
    expect((await send(message(...hostile))).status).toBe(204)
    expect((await read(session)).status).toBe('Created')
    expect((await send(message(...hostile, record(key)))).status).toBe(204)
    expect((await read(session)).status).toBe('Completed')
  })

  it("does not find a session under another organization's key", async () => {
    const session = await uploaded()
    const { organizationId } = await newCaller(api.send)
    const key = `${organizationId}/${session.asset.id}/${session.upload_session.uuid}`
    expect((await send(message(record(key)))).status).toBe(204)
    expect((await read(session)).status).toBe('Created')
  })

  it('ignores deleted and unknown sessions', async () => {
    const session = await uploaded()
    await caller.delete(`assets/${session.asset.id}/`)
    expect((await send(notification(session))).status).toBe(204)
    const never = '019a83b5-6a41-7a08-8f0d-3c1f9f3a7b55'
    const key = `${caller.organizationId}/${never}/${never}`
    expect((await send(message(record(key)))).status).toBe(204)
    expect((await caller.get(pathOf(session))).status).toBe(404)
  })

  it('does not change a cancelled session', async () => {
    const session = await uploaded()
    await caller.delete(pathOf(session))
    const before = await read(session)
    expect((await send(notification(session))).status).toBe(204)
    expect(await read(session)).toEqual(before)
    expect(before.status).toBe('Cancelled')
  })

  it('accepts from 0 to 1,000 records', async () => {
    expect((await send(message())).status).toBe(204)
    const many = Array.from({ length: 1000 }, () => record('none of ours'))
    expect((await send(message(...many))).status).toBe(204)
  })
})

describe('a storage notification, 400', () => {
  const one = record('none of ours')

  it.each([
    ['is not JSON', 'Records'],
    ['is cut off', message(one).slice(0, -5)],
    ['is empty', ''],
    ['is null', 'null'],
    ['is a list', '[]'],
    ['has another format', '{"Message": "hello"}'],
    ['has records that are not a list', '{"Records": {}}'],
    ['has an empty record', message({})],
    ['has a record without a bucket', message({ ...one, s3: { object: { key: 'x' } } })],
    ['has a key that is not a string', message({ ...one, s3: { ...one.s3, object: { key: 7 } } })],
    ['has one bad record among good ones', message(one, one, { eventName: 'x' })],
    ['has more records than storage ever sends', message(...Array.from({ length: 1001 }, () => one))],
  ])('is rejected if it %s', async (_, body) => {
    expect((await send(body)).status).toBe(400)
  })

  it('has no effect if one of its records is invalid', async () => {
    const session = await uploaded()
    const notice = message(record(session.client_payload.key), { eventName: 'x' })
    expect((await send(notice)).status).toBe(400)
    expect((await read(session)).status).toBe('Created')
  })
})

describe('a storage notification, 404', () => {
  it.each([
    ['wrong', secret.replace(/./, (first) => (first === 'a' ? 'b' : 'a'))],
    ['cut off', secret.slice(0, -1)],
    ['longer', `${secret}a`],
    ['in capitals', secret.toUpperCase()],
    ['a single letter', 'x'],
  ])('is rejected if the secret is %s, and storage is not checked', async (_, wrong) => {
    const session = await uploaded()
    const { status } = await send(notification(session), { path: `/storage-events/${wrong}/` })
    expect(status).toBe(404)
    expect((await read(session)).status).toBe('Created')
  })

  it.each(['x'.repeat(129), 'x'.repeat(5000), '%ff%00', '..%2F', ''])(
    'is rejected with 404, 400 or 414 if the secret is malformed: %.20s',
    async (wrong) => {
      const { status } = await send(message(), { path: `/storage-events/${wrong}/` })
      expect(status).toBeOneOf([400, 404, 414])
    },
  )

  it('is rejected unless its method is POST', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const url = `${api.operationsUrl}/storage-events/${secret}/`
      expect((await fetch(url, { method })).status, method).toBe(404)
    }
  })

  it('is rejected on the public port', async () => {
    const session = await uploaded()
    const response = await fetch(`${api.baseUrl}/storage-events/${secret}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: notification(session),
    })
    expect(response.status).toBe(404)
    expect((await read(session)).status).toBe('Created')
  })

  it('is rejected without STORAGE_EVENTS_SECRET', async () => {
    await using unconfigured = await ApiProcess.start()
    const session = await uploaded()
    for (const guess of [secret, 'undefined', 'null', '']) {
      const path = `/storage-events/${guess}/`
      expect((await send(notification(session), { at: unconfigured, path })).status, guess).toBe(404)
    }
    expect((await read(session)).status).toBe('Created')
  })
})

describe('a storage notification, 5xx', () => {
  it.each([
    ['returns 503', respond(503)],
    ['drops connections', resetPeer],
  ] as const)('gets 503 while storage %s, and works when it is sent again', async (_, action) => {
    const session = await uploaded()
    storageProxy.rules = [{ action }]
    expect((await send(notification(session))).status).toBeGreaterThanOrEqual(500)
    expect((await read(session)).status).toBe('Created')
    storageProxy.reset()
    expect((await send(notification(session))).status).toBe(204)
    expect((await read(session)).status).toBe('Completed')
  })
})

describe('the secret of storage notifications', () => {
  it('is not in the log', async () => {
    const { headers } = await caller.get('tokens/current/')
    await expect.poll(() => api.log).toContain(headers['x-request-id'])
    expect(api.log).not.toContain(secret)
    expect(api.log).not.toContain(secret.slice(0, 32))
  })

  it('is not in the metrics', async () => {
    expect(await (await fetch(`${api.operationsUrl}/metrics`)).text()).not.toContain(secret)
  })
})
