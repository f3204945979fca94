/** Kills a real API while it refuses and changes things. Every response that a client has got must be in the log. */
import type { tokens } from '@reelkeep/contract'
import { ApiProcess, newCaller, Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const superuser = await opened(Superuser.open())

/** Clients that send requests at the same time, each below the limit of refusals per minute. */
const CLIENTS = 20
const REQUESTS_PER_CLIENT = 100
/** Responses after which the API is killed, while further requests are in progress. */
const RESPONSES_BEFORE = 300

it('no refusal or change whose response was sent is missing from the log after the API is killed', async () => {
  await using api = await ApiProcess.start()
  const caller = await newCaller(api.send)
  const weak = await Promise.all(
    Array.from({ length: CLIENTS }, () =>
      caller.post<tokens.NewToken>('tokens/', { name: 'Weak token', scopes: ['webhooks:read'] }),
    ),
  )
  const answered: string[] = []
  const client = async ({ body }: (typeof weak)[number]) => {
    for (let at = 0; at < REQUESTS_PER_CLIENT; at++) {
      const isRefused = at % 2 === 0
      const by = isRefused ? caller.withToken(body.token) : caller
      const response = await by.post('assets/folders/', { title: `${body.id} ${at}` }).catch(() => undefined)
      if (!response) return
      expect(response.status).toBe(isRefused ? 403 : 201)
      answered.push(response.headers['x-request-id'] ?? '')
      if (answered.length === RESPONSES_BEFORE) api.child.kill('SIGKILL')
    }
  }
  await Promise.all(weak.map(client))
  expect(answered.length).toBeGreaterThanOrEqual(RESPONSES_BEFORE)
  expect(answered.length).toBeLessThan(CLIENTS * REQUESTS_PER_CLIENT)
  const recorded = await superuser.query<{ id: string }>(
    `select request_id as id from audit_outbox where organization_id = $1
     union all select request_id from audit_entries where organization_id = $1`,
    [caller.organizationId],
  )
  const ids = new Set(recorded.map(({ id }) => id))
  expect(answered.filter((id) => !ids.has(id))).toEqual([])
})
