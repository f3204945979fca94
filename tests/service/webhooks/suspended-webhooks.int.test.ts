/** How webhook dispatchers handle the webhooks of a suspended organization. */

import { newAssetId } from '@reelkeep/server/kernel/ids.ts'
import {
  markMigratedAway,
  resumeOrganization,
  suspendOrganization,
} from '@reelkeep/server/modules/suspension/suspension.ts'
import { openOwner } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { answering, openReceiver } from './receiver.ts'
import { openWebhookStage } from './webhook-fixture.ts'

const fixture = await opened(openWebhookStage('held_webhooks'))
const owner = await opened(Promise.resolve(openOwner(fixture.env)))

const soon = <Value>(look: () => Value | Promise<Value>) => expect.poll(look, { interval: 50 })

it('a webhook that is being delivered is released, and delivered again when its organization is resumed', async () => {
  const organizationId = await fixture.newOrganizationId()
  const answers: (() => void)[] = []
  await using receiver = await openReceiver((_, response) =>
    answers.push(() => response.writeHead(204).end()),
  )
  const hook = await fixture.newWebhook(organizationId, receiver.url)
  const worker = await fixture.startWorker()
  await fixture.happen(organizationId, newAssetId())
  await soon(() => receiver.numbers()).toEqual([1])
  await suspendOrganization(owner, organizationId)
  answers[0]?.()
  await soon(() => worker.log).toContain('webhook released')
  expect(await fixture.attempts(hook)).toEqual([])
  receiver.answerWith(answering(204))
  await resumeOrganization(owner, organizationId)
  await soon(() => receiver.numbers()).toEqual([1, 1])
  await soon(() => fixture.deliveries(hook)).toMatchObject([{ state: 'delivered', attempts: 1 }])
  await fixture.stopWorkers()
})

it('webhooks of a suspended or migrated organization are not delivered', async () => {
  const [held, free] = [await fixture.newOrganizationId(), await fixture.newOrganizationId()]
  await using receiver = await openReceiver(answering(204))
  await using other = await openReceiver(answering(204))
  await fixture.newWebhook(held, receiver.url)
  await fixture.newWebhook(free, other.url)
  await fixture.happen(held, newAssetId())
  await suspendOrganization(owner, held)
  await markMigratedAway(owner, held)
  await fixture.startWorker()
  await fixture.happen(free, newAssetId())
  // The longest due webhook is checked first, so it has been skipped by now.
  await soon(() => other.numbers()).toEqual([1])
  expect(receiver.numbers()).toEqual([])
  await fixture.stopWorkers()
})
