/** Tests to which networks the webhook dispatcher sends requests. */
import { setWebhookNetworks } from '@reelkeep/server/modules/webhooks/webhooks.ts'
import { openOwner } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { eventually, openTestDispatcher } from './in-process-dispatcher.ts'
import { openReceiver } from './receiver.ts'
import { openWebhookFixture } from './webhook-fixture.ts'

const fixture = await opened(openWebhookFixture('dispatch_networks'))
const owner = await opened(Promise.resolve(openOwner(fixture.env)))

const forbidden = { status: null, error: 'The URL points to a network or port that is not allowed.' }

it('the webhook dispatcher sends requests to a private network only for organizations that may use it', async () => {
  // As in production, nothing on this machine counts as the public internet.
  await using _ = openTestDispatcher(fixture, { publicNetworks: [], firstPauseSeconds: 60 })
  await using receiver = await openReceiver()
  receiver.setResponder((_arrival, response) => response.writeHead(200).end('secret of the private network'))
  const { port } = new URL(receiver.url)
  const newOrganization = async (...networks: string[]) => {
    const id = await fixture.newOrganizationId()
    await setWebhookNetworks(owner.forOrganization(id), networks)
    return { id, webhook: await fixture.newWebhook(id, receiver.url) }
  }
  const allowed = await newOrganization(`127.0.0.0/8:${port}`)
  const others = [
    await newOrganization(),
    await newOrganization('127.0.0.0/8:1'),
    await newOrganization('10.0.0.0/8:*'),
  ]

  // The text of the response is not stored, also when the private network is tried first.
  const answered = { status: 200, answer: null, error: null }
  await fixture.recordTokenEvent(allowed.id)
  await eventually(() => fixture.attempts(allowed.webhook)).toMatchObject([answered])
  await fixture.recordTokenEvent(allowed.id)
  await eventually(() => fixture.attempts(allowed.webhook)).toMatchObject([answered, answered])
  // The connection of the last request is still open, but is not reused for other organizations.
  for (const { id } of others) await fixture.recordTokenEvent(id)
  for (const { webhook } of others) await eventually(() => fixture.attempts(webhook)).toMatchObject([forbidden])
  expect(receiver.arrivals).toHaveLength(2)

  await setWebhookNetworks(owner.forOrganization(allowed.id), [])
  await fixture.recordTokenEvent(allowed.id)
  await eventually(() => fixture.attempts(allowed.webhook)).toMatchObject([answered, answered, forbidden])
  expect(receiver.arrivals).toHaveLength(2)
})
