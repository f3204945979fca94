/** The sweep looks at what is due: who is due when, what a look finds, and what becomes of looks that fail. */
import { formOf, openSession, postByFetch, postForm, UploadStage } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, describe, expect, it } from 'vitest'

const stage = await opened(UploadStage.open('sweep'))
afterEach(() => stage.forget())

/** The service's own settings, as they are when nobody sets them. */
const FIRST_LOOK = 15
const EXPIRES = 21_600
const CLOSES = EXPIRES + 43_200
const MINUTE = 60
const DAY = 86_400

async function open() {
  const caller = await stage.world.newOrganization()
  const session = await openSession(caller)
  const { uuid } = session.upload_session
  return { caller, session, uuid, row: () => stage.find(uuid) }
}

/** Sessions of one organization that are all due. */
async function openDue(count: number) {
  const caller = await stage.world.newOrganization()
  const sessions = await Promise.all(Array.from({ length: count }, () => openSession(caller)))
  const uuids = sessions.map(({ upload_session }) => upload_session.uuid)
  await stage.pass(FIRST_LOOK, ...uuids)
  return { caller, sessions, uuids }
}

/** How often storage was asked whether there is a file. */
const looksAt = (uuid: string) =>
  stage.relay.asked.filter(({ method, path }) => method === 'HEAD' && path.includes(uuid)).length

const statusesOf = async (uuids: readonly string[]) => {
  const statuses: (string | undefined)[] = []
  for (const uuid of uuids) statuses.push((await stage.find(uuid))?.status)
  return statuses
}

/** The next look comes so many seconds from now, give or take what the test itself takes. */
async function expectNextLookIn(uuid: string, seconds: number): Promise<void> {
  const { lookInSeconds } = (await stage.find(uuid)) ?? {}
  expect(lookInSeconds).toBeLessThanOrEqual(seconds + 3)
  expect(lookInSeconds).toBeGreaterThan(seconds - 3)
}

describe('a look', () => {
  it('completes a session whose notification was lost', async () => {
    const { session, uuid, row } = await open()
    expect(await postForm(session)).toBe(204)
    await stage.pass(FIRST_LOOK, uuid)
    expect(await stage.sweep()).toEqual({ looks: 1, failures: 0, failed: [] })
    expect(await row()).toMatchObject({
      status: 'Completed',
      assetStatus: 'Queued',
      completions: 1,
    })
  })

  it('is not taken before its time', async () => {
    const { session, uuid, row } = await open()
    await postForm(session)
    await stage.pass(FIRST_LOOK - 5, uuid)
    expect(await stage.sweep()).toMatchObject({ looks: 0 })
    expect(await row()).toMatchObject({ status: 'Created' })
    await stage.pass(5, uuid)
    await stage.sweep()
    expect(await row()).toMatchObject({ status: 'Completed' })
  })

  it('leaves a session open for which nothing has come', async () => {
    const { session, uuid, row } = await open()
    await stage.pass(FIRST_LOOK, uuid)
    expect(await stage.sweep()).toMatchObject({ looks: 1, failures: 0 })
    expect(await row()).toMatchObject({ status: 'Created', assetStatus: 'Not Started' })
    await postForm(session)
    await stage.pass(MINUTE, uuid)
    await stage.sweep()
    expect(await row()).toMatchObject({ status: 'Completed', completions: 1 })
  })

  it('fails a session whose file is none', async () => {
    const { caller, session, uuid, row } = await open()
    const form = formOf(session.client_payload, Buffer.from('x'))
    expect((await postByFetch(form)).status).toBe(204)
    await stage.pass(FIRST_LOOK, uuid)
    await stage.sweep()
    expect(await row()).toMatchObject({ status: 'Failed', assetError: 'upload_empty' })
    const { body: read } = await caller.get<{ error: { code: string } }>(
      `assets/upload-sessions/${uuid}/`,
    )
    expect(read.error.code).toBe('upload_empty')
  })
})

describe('a session of a held organization', () => {
  it('is not looked at, and completed once it is released', async () => {
    const { caller, session, uuid, row } = await open()
    await postForm(session)
    await stage.pass(FIRST_LOOK, uuid)
    const organization = [caller.organizationId]
    const hold = 'insert into held_organizations (organization_id) values ($1)'
    await stage.superuser.query(hold, organization)
    expect(await stage.sweep()).toMatchObject({ looks: 0, failures: 0 })
    expect(looksAt(uuid)).toBe(0)
    const release = 'delete from held_organizations where organization_id = $1'
    await stage.superuser.query(release, organization)
    await stage.sweep()
    expect(await row()).toMatchObject({ status: 'Completed', completions: 1 })
  })
})

describe('the time of the next look', () => {
  it.each([
    ['as long as the session is young, after the first pause again', FIRST_LOOK, FIRST_LOOK],
    ['then after as long as it is old', 100, 100],
    ['up to a quarter of an hour', 899, 899],
    ['and no longer', 3600, 15 * MINUTE],
    ['also once it has expired', EXPIRES + 1, 15 * MINUTE],
  ])('%s', async (_, ageSeconds, pauseSeconds) => {
    const { uuid } = await open()
    await stage.pass(ageSeconds, uuid)
    await stage.sweep()
    await expectNextLookIn(uuid, pauseSeconds)
  })

  it('is the moment when it closes, if that comes before', async () => {
    const { uuid, row } = await open()
    await stage.pass(CLOSES - 5 * MINUTE, uuid)
    await stage.sweep()
    const { status, lookInSeconds, closesInSeconds } = (await row()) ?? {}
    expect(status).toBe('Created')
    expect(lookInSeconds).toBe(closesInSeconds)
    await expectNextLookIn(uuid, 5 * MINUTE)
  })

  it('doubles with its age, so that a session of a quarter of an hour has had few looks', async () => {
    const { uuid } = await open()
    let looks = 0
    for (let age = 0; age < 15 * MINUTE; looks++) {
      const { lookInSeconds } = (await stage.find(uuid)) ?? {}
      await stage.pass(Math.ceil(lookInSeconds ?? 0), uuid)
      age += Math.ceil(lookInSeconds ?? 0)
      await stage.sweep()
    }
    expect(looksAt(uuid)).toBe(looks)
    expect(looks).toBeGreaterThanOrEqual(6)
    expect(looks).toBeLessThanOrEqual(7)
  })
})

describe('expiry', () => {
  it('comes with the closing time and not a moment before, and only after a look', async () => {
    const { uuid, row } = await open()
    await stage.pass(CLOSES - MINUTE, uuid)
    await stage.sweep()
    expect(await row()).toMatchObject({ status: 'Created' })
    await stage.pass(MINUTE, uuid)
    expect(looksAt(uuid)).toBe(1)
    await stage.sweep()
    expect(looksAt(uuid)).toBe(2)
    expect(await row()).toMatchObject({
      status: 'Expired',
      assetStatus: 'Error',
      assetError: 'upload_expired',
      completions: 0,
    })
  })

  it('does not come when the file is there, however late anybody looks', async () => {
    const { session, uuid, row } = await open()
    await postForm(session)
    await stage.pass(CLOSES + 30 * DAY, uuid)
    await stage.sweep()
    expect(await row()).toMatchObject({ status: 'Completed', assetStatus: 'Queued' })
  })

  it('does not come for a session that was renewed, though it was as good as over', async () => {
    const { caller, uuid, row } = await open()
    await stage.pass(CLOSES + MINUTE, uuid)
    expect((await caller.post(`assets/upload-sessions/${uuid}/renew/`)).status).toBe(200)
    await stage.sweep()
    expect(await row()).toMatchObject({ status: 'Created', assetStatus: 'Not Started' })
    expect(looksAt(uuid)).toBe(1)
  })

  it('does not come for one that is renewed while storage is asked', async () => {
    const { caller, uuid, row } = await open()
    await stage.pass(CLOSES + MINUTE, uuid)
    stage.relay.fateOf = async (): Promise<'pass'> => {
      await caller.post(`assets/upload-sessions/${uuid}/renew/`)
      return 'pass'
    }
    expect(await stage.sweep()).toMatchObject({ looks: 1, failures: 0 })
    expect(await row()).toMatchObject({ status: 'Created', assetStatus: 'Not Started' })
  })

  it('is followed by looks for a week, ever less often, and by none after that', async () => {
    const { uuid, row } = await open()
    await stage.pass(CLOSES, uuid)
    await stage.sweep()
    await expectNextLookIn(uuid, 0)
    await stage.sweep()
    await expectNextLookIn(uuid, MINUTE)
    for (const [seconds, pause] of [
      [600, 600],
      [3600, 4200],
      [2 * DAY, DAY],
      [4 * DAY, DAY],
    ] as const) {
      await stage.pass(seconds, uuid)
      expect(await stage.sweep()).toMatchObject({ looks: 1 })
      await expectNextLookIn(uuid, pause)
    }
    await stage.pass(DAY, uuid)
    expect(await stage.sweep()).toMatchObject({ looks: 1 })
    expect(await row()).toMatchObject({ status: 'Expired', lookInSeconds: null })
    expect(await stage.sweep()).toMatchObject({ looks: 0 })
  })
})

describe('two sweeps at once', () => {
  it('look once at each session, and complete it once', async () => {
    const { sessions, uuids } = await openDue(24)
    await Promise.all(sessions.slice(0, 12).map(postForm))
    await Promise.all([stage.sweep(), stage.sweep(), stage.sweep()])
    expect(uuids.map(looksAt)).toEqual(uuids.map(() => 1))
    const statuses = await statusesOf(uuids)
    expect(statuses).toEqual(uuids.map((_, index) => (index < 12 ? 'Completed' : 'Created')))
    for (const uuid of uuids.slice(0, 12)) expect((await stage.find(uuid))?.completions).toBe(1)
  })
})

describe('while storage is away', () => {
  it.each([
    ['answers 503', 503],
    ['breaks the line', 'cut off'],
  ] as const)('and %s: the sweep stops early, and nothing expires', async (_, fate) => {
    const { uuids } = await openDue(40)
    await stage.pass(CLOSES, ...uuids)
    stage.relay.fateOf = () => fate
    const swept = await stage.sweep()
    expect(swept.looks).toBeLessThanOrEqual(16)
    expect(swept.failures).toBe(swept.looks)
    expect(swept.looks).toBeGreaterThanOrEqual(1)
    expect(await statusesOf(uuids)).toEqual(uuids.map(() => 'Created'))
    // Those that were looked at are due again soon, the others still are.
    for (const uuid of uuids) {
      expect((await stage.find(uuid))?.lookInSeconds).toBeLessThanOrEqual(15)
    }
    stage.relay.forget()
    await stage.pass(15, ...uuids)
    expect(await stage.sweep()).toMatchObject({ looks: 40, failures: 0 })
    expect(await statusesOf(uuids)).toEqual(uuids.map(() => 'Expired'))
  })
})

it('a look that storage did not answer is taken again soon, however old the session is', async () => {
  const { uuid } = await open()
  await stage.pass(3600, uuid)
  stage.relay.fateOf = () => 503
  expect(await stage.sweep()).toMatchObject({ looks: 1, failures: 1 })
  await expectNextLookIn(uuid, 15)
})

describe('a session that cannot be looked at', () => {
  it('because the database refuses it: the others are, in the same sweep', async () => {
    await stage.superuser.query(
      `alter table assets add constraint poison check (title <> 'poison' or status = 'Not Started')`,
    )
    try {
      const { caller, sessions, uuids } = await openDue(12)
      const poison = await openSession(caller, { title: 'poison' })
      const { uuid } = poison.upload_session
      await Promise.all([...sessions, poison].map(postForm))
      // It has waited longest, so it comes first.
      await stage.pass(FIRST_LOOK + MINUTE, uuid)
      expect(await stage.sweep()).toEqual({ looks: 13, failures: 1, failed: [uuid] })
      expect(await statusesOf(uuids)).toEqual(uuids.map(() => 'Completed'))
      expect(await stage.find(uuid)).toMatchObject({
        status: 'Created',
        assetStatus: 'Not Started',
      })
      await expectNextLookIn(uuid, 15)
    } finally {
      await stage.superuser.query('alter table assets drop constraint poison')
    }
  })

  it('because storage fails at it alone: the others are, a sweep later at the most', async () => {
    const { sessions, uuids } = await openDue(30)
    await Promise.all(sessions.map(postForm))
    const [poison = '', ...others] = uuids
    await stage.pass(MINUTE, poison)
    stage.relay.fateOf = ({ path }) => (path.includes(poison) ? 500 : 'pass')
    await stage.sweep()
    await expectNextLookIn(poison, 15)
    await stage.sweep()
    expect(await statusesOf(others)).toEqual(others.map(() => 'Completed'))
    stage.relay.forget()
    await stage.pass(15, poison)
    await stage.sweep()
    expect(await stage.find(poison)).toMatchObject({ status: 'Completed', completions: 1 })
  })
})

describe('a session whose asset is deleted while storage is asked', () => {
  const deletedMeanwhile = async (prepare: (of: Awaited<ReturnType<typeof open>>) => unknown) => {
    const opened = await open()
    await prepare(opened)
    await stage.pass(CLOSES, opened.uuid)
    const statuses: number[] = []
    stage.relay.fateOf = async (): Promise<'pass'> => {
      const { status } = await opened.caller.delete(`assets/${opened.session.asset.id}/`)
      statuses.push(status)
      return 'pass'
    }
    expect(await stage.sweep()).toEqual({ looks: 1, failures: 0, failed: [] })
    expect(statuses[0]).toBe(204)
    expect(await opened.row()).toBeUndefined()
  }

  it('goes, and nothing breaks: nothing had come', () => deletedMeanwhile(() => {}))

  it('goes, and nothing breaks: its file is there', () =>
    deletedMeanwhile(({ session }) => postForm(session)))

  it('goes, and nothing breaks: it was cancelled before', () =>
    deletedMeanwhile(({ caller, uuid }) => caller.delete(`assets/upload-sessions/${uuid}/`)))
})

describe('metrics', () => {
  const ended = async (status: string) => {
    const line = new RegExp(
      `^reelkeep_upload_sessions_ended_total\\{status="${status}",noticed_by="sweep"\\} (\\d+)$`,
      'm',
    )
    return Number(line.exec(await stage.metrics())?.[1] ?? 0)
  }
  const overdue = async () =>
    Number(/^reelkeep_upload_sessions_overdue_seconds (\S+)$/m.exec(await stage.metrics())?.[1])

  it('count each ending once, by what noticed it', async () => {
    const before = { Completed: await ended('Completed'), Expired: await ended('Expired') }
    const { sessions, uuids } = await openDue(3)
    await Promise.all(sessions.slice(0, 2).map(postForm))
    await stage.pass(CLOSES, ...uuids)
    await Promise.all([stage.sweep(), stage.sweep()])
    await stage.sweep()
    expect(await ended('Completed')).toBe(before.Completed + 2)
    expect(await ended('Expired')).toBe(before.Expired + 1)
  })

  it('tell for how long the longest due session has waited, and nothing when none is due', async () => {
    expect(await overdue()).toBe(0)
    const { uuids } = await openDue(2)
    await stage.pass(500, uuids[0] ?? '')
    expect(await overdue()).toBeGreaterThanOrEqual(500)
    expect(await overdue()).toBeLessThan(510)
    await stage.sweep()
    expect(await overdue()).toBe(0)
  })

  it('grow while storage is away', async () => {
    const { uuids } = await openDue(1)
    stage.relay.fateOf = () => 503
    await stage.sweep()
    await stage.pass(100, ...uuids)
    expect(await overdue()).toBeGreaterThanOrEqual(80)
  })
})
