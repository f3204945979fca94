/** Tests the commands for members, invitations and roles. */
import { newMember, Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'

const fixture = await opened(CliFixture.open())
const superuser = await opened(Superuser.open())
const { run, json, caller } = fixture

it('invitations create prints only the link to stdout; the invitation can be listed and revoked', async () => {
  const created = await run(['invitations', 'create', 'kim@example.org', '--role', 'editor', '--expires-in', '600'])
  expect(created.stdout).toMatch(/^http\S+\/invitation#rli_\w+\n$/)
  const [invitation] = await json<{ id: string }[]>(['invitations', 'list'])
  expect((await run(['invitations', 'list'])).stdout).toMatch(/kim@example\.org +Editor +in 10 minutes/)
  expect(await json(['invitations', 'revoke', invitation?.id ?? ''])).toEqual({ id: invitation?.id, revoked: true })
  expect(await json(['invitations', 'list'])).toEqual([])
})

it('members can be listed, shown, changed, recovered and removed', async () => {
  const { id } = await newMember(superuser, caller, { role: 'viewer', scopes: ['assets:read'] })
  await caller.post('assets/folders/', { title: 'Lectures' })
  expect((await run(['members', 'list', '--role', 'viewer', '--query', 'ada'])).stdout).toMatch(`${id}  Ada`)
  expect(await json(['members', 'list', '--role', 'owner'])).toEqual([])
  const changed = await json(['members', 'update', id, '--role', 'editor', '--folder', 'Lectures'])
  expect(changed).toMatchObject({ role: { id: 'editor' }, folder_uuid: expect.any(String) })
  expect(await json(['members', 'update', id, '--folder', 'root'])).toMatchObject({ folder_uuid: null })
  expect((await run(['members', 'update', id])).code).toBe(2)
  expect((await run(['members', 'show', id])).stdout).toMatch(/role +Editor/)
  expect((await run(['members', 'recovery-link', id])).stdout).toMatch(/^http\S+\/recovery#rlr_\w+\n$/)
  expect((await run(['members', 'remove', id])).code).toBe(2)
  expect((await run(['members', 'remove', id, '--descendants', '--yes'])).stdout).toBe('Removed Ada.\n')
  expect(await json(['members', 'list'])).toEqual([])
})

it('roles can be created, listed, changed and deleted', async () => {
  const { id } = await json<{ id: string }>(['roles', 'create', 'Subtitler', '--scopes', 'assets:read,assets:write'])
  expect((await run(['roles', 'list'])).stdout).toMatch(new RegExp(`owner +Owner +0 +\\*[^]*${id} +Subtitler +0`))
  expect(await json(['roles', 'update', id, '--scopes', 'assets:read', '--name', 'Reader'])).toMatchObject({
    name: 'Reader',
    scopes: ['assets:read'],
  })
  expect((await run(['roles', 'update', id])).code).toBe(2)
  expect((await run(['roles', 'show', id])).stdout).toMatch(/scopes +assets:read/)
  expect(await run(['roles', 'delete', 'editor', '--yes'])).toMatchObject({ code: 5 })
  expect((await run(['roles', 'delete', id, '--yes'])).stdout).toBe('Deleted the role Reader.\n')
})
