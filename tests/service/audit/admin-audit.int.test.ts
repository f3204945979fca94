/** Admin commands are in the audit logs of the organizations that they concern, and verify-audit checks the logs. */
import { administer } from '@reelkeep/server/main/admin.ts'
import { resetDatabase, runInProcess, Superuser, stackEnv, TestApi, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

// Its own database, because a suspension waits for all writers in it.
const env = withDatabase(stackEnv(), 'admin_audit')
await resetDatabase(env)
const superuser = await opened(Superuser.open(env))
const testApi = await opened(TestApi.open({}, env))

const admin = (...args: string[]) => runInProcess((io) => administer(args, io), env)

type Entries = { results: { action: string; actor: { kind: string; name: string }; number: number; hash: string }[] }

describe('an admin command', () => {
  it('that changes an organization has an entry there', async () => {
    const caller = await testApi.newOrganization()
    const id = caller.organizationId
    await admin('set-embed-origins', id, '--origin', 'https://school.example')
    await admin('create-token', id, '--name', 'CI', '--scope', 'assets:read')
    await admin('list-tokens', id)
    await admin('suspend-organization', id)
    await admin('resume-organization', id)
    const { body } = await caller.get<Entries>('audit/')
    expect(body.results.map(({ action }) => action)).toEqual([
      'admin.resume-organization',
      'admin.suspend-organization',
      'admin.create-token',
      'admin.set-embed-origins',
    ])
    expect(body.results[0]?.actor).toEqual({ kind: 'system', id: null, name: 'operator' })
  })

  it('that creates an organization is the first entry of its log', async () => {
    const { output } = await admin('create-organization', '--name', 'School', '--id', 'school12', '--json')
    const { REELKEEP_TOKEN: token } = JSON.parse(output) as { REELKEEP_TOKEN: string }
    const caller = (await testApi.newOrganization()).at('school12').withToken(token)
    const { body } = await caller.get<Entries>('audit/')
    expect(body.results.map(({ action }) => action)).toEqual(['admin.create-organization'])
  })

  it('that deletes an organization has an entry, and another when it is cancelled', async () => {
    const caller = await testApi.newOrganization()
    await admin('delete-organization', '--confirm', caller.organizationId)
    await admin('delete-organization', '--cancel', caller.organizationId)
    const entries = () => caller.get<Entries>('audit/')
    await expect.poll(async () => (await entries()).status).toBe(200)
    expect((await entries()).body.results.map(({ action }) => action)).toEqual([
      'admin.delete-organization',
      'admin.delete-organization',
    ])
  })
})

describe('verify-audit', () => {
  it('prints the end of an intact log, and the first broken entry of another', async () => {
    const caller = await testApi.newOrganization()
    for (const title of ['one', 'two', 'three']) await caller.post('assets/folders/', { title })
    const head = await caller.get<{ number: number; hash: string }>('audit/head/')
    const intact = await admin('verify-audit', caller.organizationId)
    expect(intact.output).toContain(`entries=3  last=3:${head.body.hash}  result=intact`)
    expect(intact.code).toBe(0)
    await superuser.query(`update audit_entries set action = 'x' where organization_id = $1 and number = 2`, [
      caller.organizationId,
    ])
    const broken = await admin('verify-audit')
    expect(broken.output).toContain('result=broken at entry 2: hash is not that of its content')
    expect(broken.code).toBe(1)
  })
})
