import type { members, ResponseOf } from '@reelkeep/contract'
import { type Caller, newMember, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import type { DomainError } from '../../../kernel/errors.ts'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { requireRecoveryLink, useRecoveryLink } from './recovery-links.ts'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

type Link = ResponseOf<typeof members.createRecoveryLink>
const create = (caller: Caller, id: string) => caller.post<Link>(`members/${id}/recovery-link/`)
const newLink = async (caller: Caller, id: string) => (await create(caller, id)).body.link.split('#')[1] ?? ''
const dbOf = ({ organizationId }: Caller) => testApi.context.database.forOrganization(organizationId as OrganizationId)
const use = (caller: Caller, text: string) => dbOf(caller).transaction((tx) => useRecoveryLink(tx, text))
const outcome = (promise: Promise<{ id: string }>) =>
  promise.then(
    ({ id }) => id,
    (error: DomainError) => error.code,
  )
const viewer = { role: 'viewer', scopes: ['assets:read'] } as const

/** Adds the person to another organization. */
async function joinElsewhere(person: { readonly subject: string }): Promise<void> {
  const other = await testApi.newOrganization()
  const { id } = await newMember(superuser, other, viewer)
  await superuser.query('update members set subject = $2 where id = $1', [id, person.subject])
}

describe('POST members/<id>/recovery-link/', () => {
  it('201: returns a link that works once and replaces an earlier one', async () => {
    const backend = await testApi.newOrganization()
    const { id } = await newMember(superuser, backend, viewer)
    const earlier = await newLink(backend, id)
    const { status, body } = await create(backend, id)
    expect(status).toBe(201)
    const [page, text = ''] = body.link.split('#')
    expect(page).toBe(`${testApi.context.config.PUBLIC_URL}/recovery`)
    expect(text).toMatch(new RegExp(`^rlr_${backend.organizationId}_[0-9A-Za-z]{38}$`))
    const [row] = await superuser.query('select * from recovery_links where member_id = $1', [id])
    expect(JSON.stringify(row)).not.toContain(text)
    expect(await outcome(requireRecoveryLink(dbOf(backend), text))).toBe(id)
    const outcomes = await Promise.all([earlier, text, text].map((each) => outcome(use(backend, each))))
    expect(outcomes.sort()).toEqual([id, 'recovery_link_not_found', 'recovery_link_not_found'].sort())
  })

  it('403: is for owners only', async () => {
    const backend = await testApi.newOrganization()
    const { id } = await newMember(superuser, backend, viewer)
    const manager = await newMember(superuser, backend, { role: 'manager', scopes: ['members:write', 'assets:read'] })
    expect((await create(manager.caller, id)).status).toBe(403)
  })

  it('409: is refused for a person who also belongs to another organization', async () => {
    const backend = await testApi.newOrganization()
    const member = await newMember(superuser, backend, viewer)
    await joinElsewhere(member)
    expect((await create(backend, member.id)).body).toMatchObject({ code: 'recovery_not_available' })
  })

  it.each([
    ['has expired', `update recovery_links set expires_at = now() where member_id = $1`],
    ['is of a removed member', `update members set removed_at = now() where id = $1`],
  ])('is refused once the link %s', async (_, change) => {
    const backend = await testApi.newOrganization()
    const { id } = await newMember(superuser, backend, viewer)
    const text = await newLink(backend, id)
    await superuser.query(change, [id])
    expect(await outcome(use(backend, text))).toBe('recovery_link_not_found')
  })

  it('is refused once the person has joined another organization, or the owner who created it was demoted', async () => {
    const backend = await testApi.newOrganization()
    await newMember(superuser, backend)
    const owner = await newMember(superuser, backend)
    const [first, second] = [await newMember(superuser, backend, viewer), await newMember(superuser, backend, viewer)]
    const texts = [await newLink(backend, first.id), await newLink(owner.caller, second.id)] as const
    await joinElsewhere(first)
    await backend.patch(`members/${owner.id}/`, { role: 'manager' })
    for (const text of texts) expect(await outcome(use(backend, text))).toBe('recovery_link_not_found')
  })
})
