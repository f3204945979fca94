/** Quotas of an organization: what counts, and when an upload is refused. */
import type { uploadSessions } from '@reelkeep/contract'
import type { Plan } from '@reelkeep/media'
import { type Caller, openOwner, openSession, Superuser, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { requireAsset } from '../assets/assets.ts'
import { writePlan } from '../renditions/renditions.store.ts'
import { findQuotas, type QuotaLimits, setQuotas } from './quotas.ts'

const SESSIONS = 'assets/upload-sessions/'
/** Size of the file that `uploadAsset` sends. */
const FILE_BYTES = 32
/** Bytes that an open session reserves if the size of its file is not known. */
const SESSION_BYTES = 5 * 1024 ** 3
const input = { title: 'A video', resolutions: ['360p'] }

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
const owner = await opened(Promise.resolve(openOwner()))

let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const db = () => owner.forOrganization(caller.organizationId as OrganizationId)

async function limit(limits: Partial<QuotaLimits>): Promise<void> {
  await setQuotas(db(), limits)
  // Other instances see the quota after two seconds.
  testApi.context.tokenCache.invalidate(caller.organizationId as OrganizationId)
}

const used = async () =>
  Object.fromEntries(Object.entries(await findQuotas(db())).map(([name, quota]) => [name, quota.used]))

const create = (more: object = {}) => caller.post<uploadSessions.NewUploadSession>(SESSIONS, { ...input, ...more })

async function expectExceeded(what: string, more: object = {}): Promise<void> {
  const { status, body } = await create(more)
  expect(status).toBe(403)
  expect(body).toMatchObject({ code: 'quota_exceeded', detail: expect.stringContaining(what) })
}

/** Plans the renditions of a video of this duration, as the pipeline does before it encodes. */
async function encodeSeconds(durationSeconds: number): Promise<string> {
  const { asset } = await openSession(caller)
  const rendition = { name: '240p', width: 426, height: 240, bitrateMax: 4e5, segmentsTotal: 1 } as const
  await db().transaction(async (tx) => {
    const plan = { durationSeconds } as Plan
    await writePlan(tx, await requireAsset(tx, asset.id as AssetId), {
      plan,
      renditions: [rendition],
      encodedSeconds: durationSeconds,
    })
  })
  return asset.id
}

describe('the use of an organization', () => {
  it('counts assets, open sessions, stored bytes and encoded minutes, and no longer what is deleted', async () => {
    const { asset } = await uploadAsset(caller)
    await openSession(caller)
    expect(await used()).toEqual({
      ...{ assets: 2, openSessions: 1, encodedMinutes: 0 },
      storedBytes: FILE_BYTES + SESSION_BYTES,
    })
    await caller.delete(`assets/${asset.id}/`)
    expect(await used()).toMatchObject({ assets: 1, storedBytes: FILE_BYTES + SESSION_BYTES })
    await caller.delete(`assets/${asset.id}/?permanently=true`)
    expect(await used()).toMatchObject({ assets: 1, storedBytes: SESSION_BYTES })
    const id = await encodeSeconds(90)
    await superuser.query('update renditions set bytes = 500 where asset_id = $1', [id])
    expect(await used()).toMatchObject({ encodedMinutes: 1.5, storedBytes: 2 * SESSION_BYTES + 500 })
    await caller.delete(`assets/${id}/?permanently=true`)
    expect(await used()).toMatchObject({ encodedMinutes: 1.5, storedBytes: SESSION_BYTES })
  })
})

describe('POST upload-sessions/: 201', () => {
  it('is returned below every quota, and without quotas', async () => {
    expect((await create()).status).toBe(201)
    await limit({ assets: 3, openSessions: 3, storedBytes: SESSION_BYTES + 1000, encodedMinutes: 1 })
    expect((await create({ file_size_bytes: 500 })).status).toBe(201)
    expect((await create({ file_size_bytes: 500 })).status).toBe(201)
    await limit({ assets: null, openSessions: null, storedBytes: null, encodedMinutes: null })
    expect((await create()).status).toBe(201)
  })

  it('limits the size of the file to the bytes that are left', async () => {
    await uploadAsset(caller)
    await limit({ storedBytes: FILE_BYTES + 1000 })
    const known = await create({ file_size_bytes: 400 })
    expect(known.body.upload_session.max_file_size_bytes).toBe(400)
    const unknown = await create()
    expect(unknown.body.upload_session.max_file_size_bytes).toBe(600)
  })
})

describe('POST upload-sessions/: 403', () => {
  it('is returned when the organization has as many assets or open sessions as allowed', async () => {
    await openSession(caller)
    await limit({ assets: 1 })
    await expectExceeded('The quota for assets is used up (1 of 1).')
    expect((await create()).body).toMatchObject({ quota: { name: 'assets', limit: 1, used: 1 } })
    await limit({ assets: null, openSessions: 1 })
    await expectExceeded('open upload sessions')
  })

  it('is returned for a file larger than the bytes that are left', async () => {
    await uploadAsset(caller)
    await limit({ storedBytes: FILE_BYTES + 1000 })
    await expectExceeded('stored bytes', { file_size_bytes: 1001 })
    expect((await create({ file_size_bytes: 1000 })).status).toBe(201)
    await expectExceeded('stored bytes', { file_size_bytes: 1 })
  })

  it('is returned when as many minutes were encoded in this month as allowed', async () => {
    await encodeSeconds(120)
    await limit({ encodedMinutes: 2 })
    await expectExceeded('encoded minutes this month')
  })

  it('is returned for concurrent requests that exceed the quota together', async () => {
    await limit({ assets: 3 })
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await create()).status))
    expect(statuses.filter((status) => status === 201)).toHaveLength(3)
    expect(statuses.filter((status) => status === 403)).toHaveLength(7)
  })
})
