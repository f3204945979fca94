/** Two instances of the API on one database: what ends on one ends on the other. */
import { EventFeed, newCaller, newMember, type Send, Superuser, TestBrowser } from '@reelkeep/testkit'
import { InProcessApi } from '@reelkeep/testkit/in-process-api'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const origin = 'http://localhost:8080'
const here = await opened(InProcessApi.start({ PUBLIC_URL: origin }))
const there = await opened(InProcessApi.start({ PUBLIC_URL: origin }))
const superuser = await opened(Superuser.open())

const sendTo =
  (baseUrl: string): Send =>
  async ({ method, path, headers, body }) => {
    const answer = await fetch(baseUrl + path, { method, headers, body: body ?? null })
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
  }

/** Two members who use the second instance: they have sent a request, so it caches them, and have a stream. */
async function membersThere() {
  const backend = await newCaller(sendTo(there.baseUrl))
  const join = async () => {
    const member = await newMember(superuser, backend)
    const status = async () => (await member.caller.get('assets/folders/')).status
    expect(await status()).toBe(200)
    const feed = await EventFeed.open({ baseUrl: there.baseUrl, caller: member.caller })
    expect(feed.status).toBe(200)
    return { ...member, status, feed }
  }
  return { backend, member: await join(), colleague: await join() }
}

type Members = Awaited<ReturnType<typeof membersThere>>

/** The colleague still works, and their stream delivers a later event. */
async function expectUndisturbed({ backend, colleague }: Members): Promise<void> {
  expect(await colleague.status()).toBe(200)
  await backend.post('assets/folders/', { title: 'Later' })
  await expect.poll(() => colleague.feed.messages.map(({ type }) => type)).toContain('folder.created')
  expect(colleague.feed.isOver).toBe(false)
  await colleague.feed[Symbol.asyncDispose]()
}

it('a sign-out on one instance ends the requests and streams of the session on the other', async () => {
  const members = await membersThere()
  const { member } = members
  const browser = new TestBrowser(sendTo(here.baseUrl), origin)
  browser.cookies.set('__Host-reelkeep-session', member.caller.token)
  expect((await browser.post('sign-out/')).status).toBe(204)
  await expect.poll(member.status).toBe(401)
  await expect.poll(() => member.feed.isOver).toBe(true)
  await expectUndisturbed(members)
})

it('removing a member on one instance ends their requests and streams on the other', async () => {
  const members = await membersThere()
  const { member, backend } = members
  const ownerHere = await newMember(superuser, backend)
  const removed = await fetch(`${here.baseUrl}/api/v1/${backend.organizationId}/members/${member.id}/`, {
    method: 'DELETE',
    headers: { cookie: `__Host-reelkeep-session=${ownerHere.caller.token}`, origin, 'sec-fetch-site': 'same-origin' },
  })
  expect(removed.status).toBe(204)
  await expect.poll(member.status).toBe(404)
  await expect.poll(() => member.feed.isOver).toBe(true)
  await expectUndisturbed(members)
})
