/** `POST /token-reports`: secret scanners report leaked tokens, and the service revokes them. */
import type { tokens } from '@reelkeep/contract'
import { type Caller, newMember, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { newTokenText } from './token-text.ts'

/** The address of a client is the last one in X-Forwarded-For, so each test can use its own. */
const testApi = await opened(TestApi.open({ TRUSTED_PROXY_HOPS: '1' }))
const superuser = await opened(Superuser.open())

let addresses = 0
const newAddress = () => `192.0.2.${++addresses}`

const send = (body: string, address = newAddress()) =>
  testApi.send({
    method: 'POST',
    path: '/token-reports',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body,
  })
const report = (...leaked: string[]) =>
  send(JSON.stringify(leaked.map((token) => ({ token, type: 'reelkeep_api_token', url: 'https://git.example/1' }))))

async function newToken(caller: Caller) {
  const fields = { name: 'Deploy', scopes: ['folders:read'] }
  const { body } = await caller.post<tokens.NewToken>('tokens/', fields)
  return { ...body, holder: caller.withToken(body.token) }
}

const isLive = async (holder: Caller) => (await holder.get('tokens/current/')).status === 200

describe('POST /token-reports', () => {
  it('revokes the reported tokens at once, in any organization, and no others', async () => {
    const callers = [await testApi.newOrganization(), await testApi.newOrganization()] as const
    const leaked = [await newToken(callers[0]), await newToken(callers[1])] as const
    const { holder } = await newToken(callers[0])
    expect(await isLive(leaked[0].holder)).toBe(true)
    await report(leaked[0].token, 'ghp_of_another_vendor', leaked[1].token)
    expect([await isLive(leaked[0].holder), await isLive(leaked[1].holder), await isLive(holder)]).toEqual([
      false,
      false,
      true,
    ])
    const events = await callers[0].get<{ results: { type: string; data: unknown }[] }>('events/?types=token.revoked')
    expect(events.body.results.map(({ data }) => data)).toEqual([{ id: leaked[0].id, name: 'Deploy' }])
  })

  it('ends reported invitations and recovery links', async () => {
    const caller = await testApi.newOrganization()
    const { id } = await newMember(superuser, caller, { role: 'viewer', scopes: ['assets:read'] })
    const invited = await caller.post<{ link: string }>('invitations/', { email: 'kim@example.org', role: 'viewer' })
    const recovery = await caller.post<{ link: string }>(`members/${id}/recovery-link/`)
    const links = () =>
      superuser.query(
        `select from invitations where organization_id = $1
         union all select from recovery_links where organization_id = $1`,
        [caller.organizationId],
      )
    expect(await links()).toHaveLength(2)
    const secretOf = (response: { body: { link: string } }) => response.body.link.split('#')[1] ?? ''
    expect(await report(secretOf(invited), secretOf(recovery))).toMatchObject({ status: 204, text: '' })
    expect(await links()).toEqual([])
  })

  it('gives the same response whether a token exists, was revoked, or never existed', async () => {
    const caller = await testApi.newOrganization()
    const { token } = await newToken(caller)
    const unknown = newTokenText(caller.organizationId as OrganizationId)
    const stranger = newTokenText('nobody12' as OrganizationId)
    for (const leaked of [[token], [token], [unknown], [stranger], ['x'], []]) {
      expect(await report(...leaked)).toMatchObject({ status: 204, text: '' })
    }
  })

  it('revokes the other tokens and responds with 503 if the organization of one is suspended', async () => {
    const [suspended, other] = [await testApi.newOrganization(), await testApi.newOrganization()]
    const [kept, leaked] = [await newToken(suspended), await newToken(other)]
    await superuser.query('insert into held_organizations (organization_id) values ($1)', [suspended.organizationId])
    const response = await report(kept.token, leaked.token)
    expect({ status: response.status, isOtherLive: await isLive(leaked.holder) }).toEqual({
      status: 503,
      isOtherLive: false,
    })
  })

  it.each(['{}', 'null', '[null]', '[{"token":1}]', '[{}]', JSON.stringify(Array(101).fill({ token: 'x' }))])(
    'rejects a body that is not a list of at most 100 tokens: %s',
    async (body) => {
      expect((await send(body)).status).toBe(400)
    },
  )

  it('limits the reports from one address', async () => {
    const address = newAddress()
    const statuses = []
    for (let index = 0; index < 11; index++) statuses.push((await send('[]', address)).status)
    const { status, headers } = await send('[]', address)
    expect([...statuses, status]).toEqual([...Array(10).fill(204), 429, 429])
    expect(headers).toMatchObject({
      'retry-after': expect.stringMatching(/^[1-9]\d?$/),
      'ratelimit-policy': '"token-reports";q=10;w=60',
      ratelimit: expect.stringMatching(/^"token-reports";r=0;t=\d+$/),
    })
    expect((await send('[]')).status).toBe(204)
  })
})
