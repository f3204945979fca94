import type { uploadSessions } from '@reelkeep/contract'
import { Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

describe('the signed form of an upload session', () => {
  it('is encrypted in the stored response', async () => {
    const caller = await testApi.newOrganization()
    const input = { title: 'Lecture', resolutions: ['360p'] }
    const { body } = await caller.post<uploadSessions.NewUploadSession>('assets/upload-sessions/', input, {
      'idempotency-key': 'only-once',
    })
    const [saved] = await superuser.query<{ answer: Buffer }>(
      'select answer from idempotency_keys where organization_id = $1',
      [caller.organizationId],
    )
    const stored = saved?.answer.toString('latin1') ?? ''
    expect(stored.length).toBeGreaterThan(JSON.stringify(body).length)
    const parts = ['Lecture', 'policy', body.asset.id, ...Object.values(body.client_payload)]
    for (const part of parts) expect(stored).not.toContain(part)
  })

  it('is stored nowhere else', async () => {
    const caller = await testApi.newOrganization()
    const { body } = await caller.post<uploadSessions.NewUploadSession>('assets/upload-sessions/', {
      title: 'Lecture',
      resolutions: ['360p'],
    })
    const rows = await superuser.query<{ row: string }>(
      `select s::text as row from upload_sessions s where organization_id = $1
       union all select a::text from assets a where organization_id = $1
       union all select h::text from asset_happenings h where organization_id = $1`,
      [caller.organizationId],
    )
    const stored = rows.map(({ row }) => row).join('\n')
    expect(stored).toContain(body.upload_session.uuid)
    expect(stored).not.toContain(body.client_payload.policy)
    expect(stored).not.toContain(body.client_payload['x-amz-signature'])
  })
})
