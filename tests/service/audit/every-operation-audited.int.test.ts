/** Sends a request of every operation, allowed and refused, and expects it in the audit log with the right actor. */
import type { tokens } from '@reelkeep/contract'
import { type Caller, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { operationIds, operationOf, send, validRequest } from '../errors/every-operation.ts'
import { entriesOf } from './audited.ts'

const superuser = await opened(Superuser.open())
const testApi = await opened(TestApi.open())

let caller: Caller
let tokenId: string
beforeAll(async () => {
  caller = await testApi.newOrganization()
  tokenId = (await caller.get<{ id: string }>('tokens/current/')).body.id
})

const isWrite = (id: (typeof operationIds)[number]) => operationOf(id).method !== 'GET'

/**
 * Operations whose test request writes nothing to the database: it moves the asset to its current folder, activates the
 * version that is shown, signs links, or only proposes a change. Their entries are written on their own.
 */
const unchanging: readonly string[] = [
  'moveAsset',
  'activateVersion',
  'createDownload',
  'createCoverUpload',
  'proposeChapters',
]

/** The id of the created resource in the response of an operation. */
function createdId(body: unknown): string | undefined {
  const { id, uuid, asset } = body as { id?: string; uuid?: string; asset?: { id: string } }
  return asset?.id ?? uuid ?? id
}

describe('a successful request', () => {
  it.each(operationIds.filter(isWrite))('of %s has one entry, written in the transaction of its change', async (id) => {
    const request = await validRequest(caller, id)
    const alone = vi.spyOn(testApi.context.audit, 'record')
    const response = await send(caller, request)
    const wasAlone = alone.mock.calls.length > 0
    alone.mockRestore()
    expect(response.status).toBe(operationOf(id).success.status)
    expect(await entriesOf(superuser, response)).toEqual([
      {
        ...{ actor_kind: 'token', actor_id: tokenId, action: id },
        ...{ object_type: expect.any(String), object_id: expect.any(String) },
        ...{ outcome: 'success', error_code: null },
      },
    ])
    expect(wasAlone).toBe(unchanging.includes(id))
  })

  /** Operations that create parts of the resource in their path. */
  const parts: readonly string[] = ['addChapters', 'importChapters', 'testWebhook', 'createRecoveryLink']
  const isCreation = (id: (typeof operationIds)[number]) =>
    operationOf(id).success.status === 201 && !parts.includes(id)

  it.each(operationIds.filter(isCreation))('of %s that creates a resource has its id', async (id) => {
    const response = await send(caller, await validRequest(caller, id))
    const [entry] = await entriesOf(superuser, response)
    expect(entry?.object_id).toBe(createdId(response.body))
  })

  it('that reads has no entry, except an export', async () => {
    expect(await entriesOf(superuser, await caller.get('assets/folders/'))).toEqual([])
    const exported = await caller.get('audit/export/')
    expect(await entriesOf(superuser, exported)).toMatchObject([{ action: 'exportAuditEntries', actor_id: tokenId }])
  })
})

describe('a refused request', () => {
  const refusable = operationIds.filter((id) => operationOf(id).scopes.length > 0)

  it.each(refusable)('of %s has an entry with its error code', async (id) => {
    const [needed] = operationOf(id).scopes
    const scopes = [needed === 'holds:write' ? 'webhooks:read' : 'holds:write']
    const created = await caller.post<tokens.NewToken>('tokens/', { name: 'Weak token', scopes })
    const request = await validRequest(caller, id)
    const response = await send(caller.withToken(created.body.token), request)
    expect(response.status).toBe(403)
    expect(await entriesOf(superuser, response)).toMatchObject([
      {
        ...{ actor_kind: 'token', actor_id: created.body.id, action: id },
        ...{ outcome: 'refused', error_code: 'insufficient_scope' },
      },
    ])
  })

  it('without a valid token, or of another organization, has no entry', async () => {
    const other = await testApi.newOrganization()
    expect(await entriesOf(superuser, await caller.withToken('rk_invalid').get('assets/folders/'))).toEqual([])
    expect(await entriesOf(superuser, await other.at(caller.organizationId).get('assets/folders/'))).toEqual([])
  })

  it('that was not allowed 100 times in a minute has 60 entries and one that stands for the others', async () => {
    const flooded = await TestApi.open()
    const victim = await flooded.newOrganization()
    const created = await victim.post<tokens.NewToken>('tokens/', { name: 'Weak token', scopes: ['webhooks:read'] })
    const weak = victim.withToken(created.body.token)
    await Promise.all(Array.from({ length: 100 }, () => weak.get('assets/folders/')))
    await flooded[Symbol.asyncDispose]()
    const refusals = await superuser.query<{ action: string; requests: number }>(
      `select action, sum(entry_count)::int as requests from (
         select action, entry_count, actor_id from audit_outbox
         union all select action, entry_count, actor_id from audit_entries) as entry
       where actor_id = $1 group by action order by action`,
      [created.body.id],
    )
    expect(refusals).toEqual([
      { action: 'furtherRefusals', requests: 40 },
      { action: 'listFolders', requests: 60 },
    ])
  })
})

describe('a request that fails', () => {
  it('because nothing was found has no entry', async () => {
    const response = await caller.delete('assets/folders/AAAAAAAAAAA/')
    expect(response.status).toBe(404)
    expect(await entriesOf(superuser, response)).toEqual([])
  })

  it('because the organization is suspended leaves the response as it is', async () => {
    const held = await testApi.newOrganization()
    const weak = await held.post<tokens.NewToken>('tokens/', { name: 'Weak token', scopes: ['webhooks:read'] })
    await superuser.query('insert into held_organizations (organization_id) values ($1)', [held.organizationId])
    const refused = await held.withToken(weak.body.token).get('assets/folders/')
    expect(refused.status).toBe(403)
    expect(await entriesOf(superuser, refused)).toEqual([])
  })
})
