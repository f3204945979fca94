/** How webhook dispatchers handle the webhooks of a suspended organization. */
import {
  markMigratedAway,
  resumeOrganization,
  suspendOrganization,
} from '@reelkeep/server/capabilities/suspension/suspension.ts'
import { newAssetId } from '@reelkeep/server/kernel/ids.ts'
import { openOwner } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { answering, openReceiver } from './receiver.ts'
import { openWebhookStage } from './webhook-stage.ts'

const stage = await opened(openWebhookStage('held_webhooks'))
const owner = await opened(Promise.resolve(openOwner(stage.env)))

const soon = <Value>(look: () => Value | Promise<Value>) => expect.poll(look, { interval: 50 })

it('a webhook that is being delivered is released, and delivered again when its organization is resumed', async () => {
  const organizationId = await stage.newOrganizationId()
  const answers: (() => void)[] = []
  await using receiver = await openReceiver((_, response) =>
    answers.push(() => response.writeHead(204).end()),
  )
  const hook = await stage.newWebhook(organizationId, receiver.url)
  const worker = await stage.startWorker()
  await stage.happen(organizationId, newAssetId())
  await soon(() => receiver.numbers()).toEqual([1])
  await suspendOrganization(owner, organizationId)
  answers[0]?.()
  await soon(() => worker.log).toContain('webhook released')
  expect(await stage.attempts(hook)).toEqual([])
  receiver.answerWith(answering(204))
  await resumeOrganization(owner, organizationId)
  await soon(() => receiver.numbers()).toEqual([1, 1])
  await soon(() => stage.deliveries(hook)).toMatchObject([{ state: 'delivered', attempts: 1 }])
  await stage.stopWorkers()
})

it('webhooks of a suspended or migrated organization are not delivered', async () => {
  const [held, free] = [await stage.newOrganizationId(), await stage.newOrganizationId()]
  await using receiver = await openReceiver(answering(204))
  await using other = await openReceiver(answering(204))
  await stage.newWebhook(held, receiver.url)
  await stage.newWebhook(free, other.url)
  await stage.happen(held, newAssetId())
  await suspendOrganization(owner, held)
  await markMigratedAway(owner, held)
  await stage.startWorker()
  await stage.happen(free, newAssetId())
  // The longest due webhook is checked first, so it has been skipped by now.
  await soon(() => other.numbers()).toEqual([1])
  expect(receiver.numbers()).toEqual([])
  await stage.stopWorkers()
})
