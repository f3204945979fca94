/** The end of event streams of members: the stream is on one instance, and the change is made on another. */
import type { roles } from '@reelkeep/contract'
import { type Caller, type EventFeed, newMember } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, expect, it } from 'vitest'
import { folder, follow, openStreamFixture, titlesIn } from './stream-fixture.ts'

const fixture = await opened(openStreamFixture('event_stream_members'))
const api = await opened(fixture.startApi())
/** Checks its streams only when it is notified. */
const quiet = await opened(fixture.startApi({ EVENT_STREAM_HEARTBEAT_SECONDS: '300' }))

let backend: Caller
beforeEach(async () => {
  backend = await fixture.newCaller(api)
})

async function followFrom(caller: Caller): Promise<EventFeed> {
  const feed = await follow(quiet, caller)
  await expect.poll(() => feed.lastEventId).toBeDefined()
  return feed
}

const newRole = async (scopes: string[]) =>
  (await backend.post<roles.Role>('roles/', { name: 'Reader', scopes })).body.id

it.each([
  ['is removed', (id: string) => backend.delete(`members/${id}/`)],
  ['gets another role', (id: string) => backend.patch(`members/${id}/`, { role: 'uploader' })],
  [
    'is limited to a folder',
    async (id: string) => {
      const { body } = await backend.post<{ uuid: string }>('assets/folders/', { title: 'Lectures' })
      return backend.patch(`members/${id}/`, { folder_uuid: body.uuid })
    },
  ],
  [
    'loses a scope of its role',
    (_: string, role: string) => backend.patch(`roles/${role}/`, { scopes: ['events:read'] }),
  ],
] as const)('a stream ends on another instance when its member %s; other streams continue', async (_, change) => {
  const scopes = ['assets:read', 'events:read'] as const
  const role = await newRole([...scopes])
  const member = await newMember(fixture.superuser, backend, { role, scopes })
  const other = await newMember(fixture.superuser, backend, { role: 'viewer', scopes })
  const feed = await followFrom(member.caller)
  await using staying = await followFrom(other.caller)
  expect((await change(member.id, role)).status).toBeLessThan(300)
  await expect.poll(() => feed.isOver, { interval: 20 }).toBe(true)
  await fixture.write(backend, folder('later'))
  await expect.poll(() => titlesIn(staying)).toContain('later')
  expect(staying.isOver).toBe(false)
})

it('a removed member is refused on another instance within the second that sessions are cached', async () => {
  const member = await newMember(fixture.superuser, backend)
  await newMember(fixture.superuser, backend)
  const elsewhere = async () => (await follow(quiet, member.caller)).status
  expect(await elsewhere()).toBe(200)
  expect((await backend.delete(`members/${member.id}/`)).status).toBe(204)
  await expect.poll(elsewhere, { interval: 50 }).toBe(404)
})
