/** The sweep: when sessions are due, what a check does, and what happens after failed checks. */
import {
  formOf,
  latency,
  openSession,
  openUploadFixture,
  postByFetch,
  postForm,
  resetPeer,
  respond,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, describe, expect, it } from 'vitest'

const fixture = await opened(openUploadFixture('sweep'))
afterEach(() => fixture.reset())

/** Default settings of upload sessions, in seconds. */
const FIRST_CHECK = 15
const EXPIRES = 21_600
const CLOSES = EXPIRES + 43_200
const MINUTE = 60
const DAY = 86_400

async function open() {
  const caller = await fixture.testApi.newOrganization()
  const session = await openSession(caller)
  const { uuid } = session.upload_session
  return { caller, session, uuid, row: () => fixture.find(uuid) }
}

/** Sessions of one organization that are all due. */
async function openDue(count: number) {
  const caller = await fixture.testApi.newOrganization()
  const sessions = await Promise.all(Array.from({ length: count }, () => openSession(caller)))
  const uuids = sessions.map(({ upload_session }) => upload_session.uuid)
  await fixture.pass(FIRST_CHECK, ...uuids)
  return { caller, sessions, uuids }
}

/** How often storage was checked for the file. */
const checksOf = (uuid: string) =>
  fixture.storageProxy.requests.filter(({ method, path }) => method === 'HEAD' && path.includes(uuid)).length

const statusesOf = async (uuids: readonly string[]) => {
  const statuses: (string | undefined)[] = []
  for (const uuid of uuids) statuses.push((await fixture.find(uuid))?.status)
  return statuses
}

/** Expects the next check in `seconds`, by the database's clock, with a tolerance of half a minute. */
async function expectNextCheckIn(uuid: string, seconds: number): Promise<void> {
  const { checkInSeconds } = (await fixture.find(uuid)) ?? {}
  expect(checkInSeconds).toBeLessThanOrEqual(seconds + 30)
  expect(checkInSeconds).toBeGreaterThan(seconds - 30)
}

describe('a check of the sweep', () => {
  it('completes a session whose notification was lost', async () => {
    const { session, uuid, row } = await open()
    expect(await postForm(session)).toBe(204)
    await fixture.pass(FIRST_CHECK, uuid)
    expect(await fixture.sweep()).toEqual({ checks: 1, failures: 0, failed: [] })
    expect(await row()).toMatchObject({
      status: 'Completed',
      assetStatus: 'Queued',
      completions: 1,
    })
  })

  it('does not happen before it is due', async () => {
    const { session, uuid, row } = await open()
    await fixture.pass(3600, uuid)
    expect(await fixture.sweep()).toMatchObject({ checks: 1 })
    // The next check is 15 minutes later.
    await postForm(session)
    await fixture.pass(10 * MINUTE, uuid)
    expect(await fixture.sweep()).toMatchObject({ checks: 0 })
    expect(await row()).toMatchObject({ status: 'Created' })
    await fixture.pass(5 * MINUTE, uuid)
    await fixture.sweep()
    expect(await row()).toMatchObject({ status: 'Completed' })
  })

  it('leaves a session open if nothing has arrived', async () => {
    const { session, uuid, row } = await open()
    await fixture.pass(FIRST_CHECK, uuid)
    expect(await fixture.sweep()).toMatchObject({ checks: 1, failures: 0 })
    expect(await row()).toMatchObject({ status: 'Created', assetStatus: 'Not Started' })
    await postForm(session)
    await fixture.pass(MINUTE, uuid)
    await fixture.sweep()
    expect(await row()).toMatchObject({ status: 'Completed', completions: 1 })
  })

  it('fails a session with an empty file', async () => {
    const { caller, session, uuid, row } = await open()
    const form = formOf(session.client_payload, Buffer.from('x'))
    expect((await postByFetch(form)).status).toBe(204)
    await fixture.pass(FIRST_CHECK, uuid)
    await fixture.sweep()
    expect(await row()).toMatchObject({ status: 'Failed', assetError: 'upload_empty' })
    const { body: read } = await caller.get<{ error: { code: string } }>(`assets/upload-sessions/${uuid}/`)
    expect(read.error.code).toBe('upload_empty')
  })
})

describe('a session of a suspended organization', () => {
  it('is not checked, and is completed after the suspension', async () => {
    const { caller, session, uuid, row } = await open()
    await postForm(session)
    await fixture.pass(FIRST_CHECK, uuid)
    const organization = [caller.organizationId]
    const suspend = 'insert into held_organizations (organization_id) values ($1)'
    await fixture.superuser.query(suspend, organization)
    expect(await fixture.sweep()).toMatchObject({ checks: 0, failures: 0 })
    expect(checksOf(uuid)).toBe(0)
    const resume = 'delete from held_organizations where organization_id = $1'
    await fixture.superuser.query(resume, organization)
    await fixture.sweep()
    expect(await row()).toMatchObject({ status: 'Completed', completions: 1 })
  })
})

describe('the next check of a session', () => {
  it.each([
    ['is after the first interval while it is young', FIRST_CHECK, FIRST_CHECK],
    ['is when its age has doubled', 100, 100],
    ['is after at most 15 minutes', 899, 899],
    ['is after 15 minutes when it is old', 3600, 15 * MINUTE],
    ['is after 15 minutes when it has expired', EXPIRES + 1, 15 * MINUTE],
  ])('%s', async (_, ageSeconds, pauseSeconds) => {
    const { uuid } = await open()
    await fixture.pass(ageSeconds, uuid)
    await fixture.sweep()
    await expectNextCheckIn(uuid, pauseSeconds)
  })

  it('is at the time the session closes, if that is earlier than the next interval', async () => {
    const { uuid, row } = await open()
    await fixture.pass(CLOSES - 5 * MINUTE, uuid)
    await fixture.sweep()
    const { status, checkInSeconds, closesInSeconds } = (await row()) ?? {}
    expect(status).toBe('Created')
    expect(checkInSeconds).toBe(closesInSeconds)
    await expectNextCheckIn(uuid, 5 * MINUTE)
  })

  it('is later the older the session is, so that a session has few checks in 15 minutes', async () => {
    const { uuid } = await open()
    let checks = 0
    for (let age = 0; age < 15 * MINUTE; checks++) {
      const { checkInSeconds } = (await fixture.find(uuid)) ?? {}
      await fixture.pass(Math.ceil(checkInSeconds ?? 0), uuid)
      age += Math.ceil(checkInSeconds ?? 0)
      await fixture.sweep()
    }
    expect(checksOf(uuid)).toBe(checks)
    // The duration of the test adds to the age of the session, so there may be fewer checks.
    expect(checks).toBeGreaterThanOrEqual(4)
    expect(checks).toBeLessThanOrEqual(7)
  })
})

describe('the expiry of a session', () => {
  it('happens when the session closes and not before, and only after a check', async () => {
    const { uuid, row } = await open()
    await fixture.pass(CLOSES - MINUTE, uuid)
    await fixture.sweep()
    expect(await row()).toMatchObject({ status: 'Created' })
    await fixture.pass(MINUTE, uuid)
    expect(checksOf(uuid)).toBe(1)
    await fixture.sweep()
    expect(checksOf(uuid)).toBe(2)
    expect(await row()).toMatchObject({
      status: 'Expired',
      assetStatus: 'Cancelled',
      assetError: 'upload_expired',
      completions: 0,
    })
  })

  it('does not happen if the file is in storage, however late the check', async () => {
    const { session, uuid, row } = await open()
    await postForm(session)
    await fixture.pass(CLOSES + 30 * DAY, uuid)
    await fixture.sweep()
    expect(await row()).toMatchObject({ status: 'Completed', assetStatus: 'Queued' })
  })

  it('does not happen if the session was renewed just before the sweep', async () => {
    const { caller, uuid, row } = await open()
    await fixture.pass(CLOSES + MINUTE, uuid)
    expect((await caller.post(`assets/upload-sessions/${uuid}/renew/`)).status).toBe(200)
    await fixture.sweep()
    expect(await row()).toMatchObject({ status: 'Created', assetStatus: 'Not Started' })
    expect(checksOf(uuid)).toBe(1)
  })

  it('does not happen if the session is renewed during the check', async () => {
    const { caller, uuid, row } = await open()
    await fixture.pass(CLOSES + MINUTE, uuid)
    const renew = () => caller.post(`assets/upload-sessions/${uuid}/renew/`)
    fixture.storageProxy.rules = [{ action: latency(renew) }]
    expect(await fixture.sweep()).toMatchObject({ checks: 1, failures: 0 })
    expect(await row()).toMatchObject({ status: 'Created', assetStatus: 'Not Started' })
  })

  it('is followed by ever rarer checks for a week and none afterwards until its asset is deleted', async () => {
    const { caller, uuid, row } = await open()
    await fixture.setAbandonedDays(caller.organizationId, 30)
    await fixture.pass(CLOSES, uuid)
    await fixture.sweep()
    await expectNextCheckIn(uuid, 0)
    await fixture.sweep()
    await expectNextCheckIn(uuid, MINUTE)
    for (const [seconds, pause] of [
      [600, 600],
      [3600, 4200],
      [2 * DAY, DAY],
      [4 * DAY, DAY],
    ] as const) {
      await fixture.pass(seconds, uuid)
      expect(await fixture.sweep()).toMatchObject({ checks: 1 })
      await expectNextCheckIn(uuid, pause)
    }
    await fixture.pass(DAY, uuid)
    expect(await fixture.sweep()).toMatchObject({ checks: 1 })
    expect(await row()).toMatchObject({ status: 'Expired' })
    const { checkInSeconds } = (await row()) ?? {}
    expect(checkInSeconds).toBeGreaterThan(22 * DAY)
    expect(await fixture.sweep()).toMatchObject({ checks: 0 })
  })
})

describe('two sweeps at once', () => {
  it('check and complete each session once', async () => {
    const { sessions, uuids } = await openDue(24)
    await Promise.all(sessions.slice(0, 12).map(postForm))
    await Promise.all([fixture.sweep(), fixture.sweep(), fixture.sweep()])
    expect(uuids.map(checksOf)).toEqual(uuids.map(() => 1))
    const statuses = await statusesOf(uuids)
    expect(statuses).toEqual(uuids.map((_, index) => (index < 12 ? 'Completed' : 'Created')))
    for (const uuid of uuids.slice(0, 12)) expect((await fixture.find(uuid))?.completions).toBe(1)
  })
})

describe('the sweep', () => {
  it.each([
    ['returns 503', respond(503)],
    ['drops connections', resetPeer],
  ] as const)('stops early and expires no session while storage %s', async (_, action) => {
    const { uuids } = await openDue(40)
    await fixture.pass(CLOSES, ...uuids)
    fixture.storageProxy.rules = [{ action }]
    const swept = await fixture.sweep()
    expect(swept.checks).toBeLessThanOrEqual(16)
    expect(swept.failures).toBe(swept.checks)
    expect(swept.checks).toBeGreaterThanOrEqual(1)
    expect(await statusesOf(uuids)).toEqual(uuids.map(() => 'Created'))
    // The checked sessions are due again soon, and the unchecked ones are still due.
    for (const uuid of uuids) {
      expect((await fixture.find(uuid))?.checkInSeconds).toBeLessThanOrEqual(15)
    }
    fixture.storageProxy.reset()
    await fixture.pass(15, ...uuids)
    expect(await fixture.sweep()).toMatchObject({ checks: 40, failures: 0 })
    expect(await statusesOf(uuids)).toEqual(uuids.map(() => 'Expired'))
  })
})

it('a check without a response from storage is repeated soon, however old the session is', async () => {
  const { uuid } = await open()
  await fixture.pass(3600, uuid)
  fixture.storageProxy.rules = [{ action: respond(503) }]
  expect(await fixture.sweep()).toMatchObject({ checks: 1, failures: 1 })
  await expectNextCheckIn(uuid, 15)
})

describe('a session whose check fails', () => {
  it('does not stop the sweep if the database failed', async () => {
    await fixture.superuser.query(
      `alter table assets add constraint poison check (title <> 'poison' or status = 'Not Started')`,
    )
    try {
      const { caller, sessions, uuids } = await openDue(12)
      const poison = await openSession(caller, { title: 'poison' })
      const { uuid } = poison.upload_session
      await Promise.all([...sessions, poison].map(postForm))
      // This session is the most overdue, so it is checked first.
      await fixture.pass(FIRST_CHECK + MINUTE, uuid)
      expect(await fixture.sweep()).toEqual({ checks: 13, failures: 1, failed: [uuid] })
      expect(await statusesOf(uuids)).toEqual(uuids.map(() => 'Completed'))
      expect(await fixture.find(uuid)).toMatchObject({
        status: 'Created',
        assetStatus: 'Not Started',
      })
      await expectNextCheckIn(uuid, 15)
    } finally {
      await fixture.superuser.query('alter table assets drop constraint poison')
    }
  })

  it('does not stop the sweep if it cannot be claimed', async () => {
    const { sessions, uuids } = await openDue(12)
    await Promise.all(sessions.map(postForm))
    const { uuid } = await open()
    // This session is the most overdue, so it is claimed first.
    await fixture.pass(FIRST_CHECK + MINUTE, uuid)
    await fixture.superuser.query(
      `alter table upload_sessions add constraint poison check (uuid <> '${uuid}' or look_at < '${new Date().toISOString()}') not valid`,
    )
    try {
      expect(await fixture.sweep()).toEqual({ checks: 13, failures: 1, failed: [uuid] })
      expect(await statusesOf(uuids)).toEqual(uuids.map(() => 'Completed'))
    } finally {
      await fixture.superuser.query('alter table upload_sessions drop constraint poison')
    }
    expect(await fixture.sweep(), 'it is still due').toMatchObject({ checks: 1, failures: 0 })
  })

  it('delays other sessions by at most one sweep if storage failed', async () => {
    const { sessions, uuids } = await openDue(30)
    await Promise.all(sessions.map(postForm))
    const [poison = '', ...others] = uuids
    await fixture.pass(MINUTE, poison)
    fixture.storageProxy.rules = [{ match: ({ path }) => path.includes(poison), action: respond(500) }]
    await fixture.sweep()
    await expectNextCheckIn(poison, 15)
    await fixture.sweep()
    expect(await statusesOf(others)).toEqual(others.map(() => 'Completed'))
    fixture.storageProxy.reset()
    await fixture.pass(15, poison)
    await fixture.sweep()
    expect(await fixture.find(poison)).toMatchObject({ status: 'Completed', completions: 1 })
  })
})

describe('a session whose asset is deleted during the check', () => {
  const deletedMeanwhile = async (prepare: (of: Awaited<ReturnType<typeof open>>) => unknown) => {
    const opened = await open()
    await prepare(opened)
    await fixture.pass(CLOSES, opened.uuid)
    const statuses: number[] = []
    const deleteAsset = async () => {
      const { status } = await opened.caller.delete(`assets/${opened.session.asset.id}/?permanently=true`)
      statuses.push(status)
    }
    fixture.storageProxy.rules = [{ action: latency(deleteAsset) }]
    expect(await fixture.sweep()).toEqual({ checks: 1, failures: 0, failed: [] })
    expect(statuses[0]).toBe(204)
    expect(await opened.row()).toBeUndefined()
  }

  it('is deleted without an error if nothing had arrived', () => deletedMeanwhile(() => {}))

  it('is deleted without an error if its file is in storage', () =>
    deletedMeanwhile(({ session }) => postForm(session)))

  it('is deleted without an error if it was cancelled before', () =>
    deletedMeanwhile(({ caller, uuid }) => caller.delete(`assets/upload-sessions/${uuid}/`)))
})

describe('metrics of the sweep', () => {
  const ended = async (status: string) => {
    const line = new RegExp(
      `^reelkeep_upload_sessions_ended_total\\{status="${status}",detected_by="sweep"\\} (\\d+)$`,
      'm',
    )
    return Number(line.exec(await fixture.metrics())?.[1] ?? 0)
  }
  const overdue = async () =>
    Number(/^reelkeep_upload_sessions_overdue_seconds (\S+)$/m.exec(await fixture.metrics())?.[1])

  it('count each ended session once, by what detected it', async () => {
    const before = { Completed: await ended('Completed'), Expired: await ended('Expired') }
    const { sessions, uuids } = await openDue(3)
    await Promise.all(sessions.slice(0, 2).map(postForm))
    await fixture.pass(CLOSES, ...uuids)
    await Promise.all([fixture.sweep(), fixture.sweep()])
    await fixture.sweep()
    expect(await ended('Completed')).toBe(before.Completed + 2)
    expect(await ended('Expired')).toBe(before.Expired + 1)
  })

  it('show how long the most overdue session has waited, and 0 if none is due', async () => {
    expect(await overdue()).toBe(0)
    const { uuids } = await openDue(2)
    await fixture.pass(500, uuids[0] ?? '')
    expect(await overdue()).toBeGreaterThanOrEqual(500)
    expect(await overdue()).toBeLessThan(600)
    await fixture.sweep()
    expect(await overdue()).toBe(0)
  })

  it('show a growing delay while storage is unavailable', async () => {
    const { uuids } = await openDue(1)
    fixture.storageProxy.rules = [{ action: respond(503) }]
    await fixture.sweep()
    await fixture.pass(100, ...uuids)
    expect(await overdue()).toBeGreaterThanOrEqual(80)
  })
})
