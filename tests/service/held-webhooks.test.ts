/** What couriers do with the webhooks of an organization that is held. */
import {
  holdOrganization,
  markGone,
  releaseOrganization,
} from '@reelkeep/server/capabilities/holds/holds.ts'
import { newAssetId } from '@reelkeep/server/kernel/ids.ts'
import { openOwner } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { answering, openReceiver } from './receiver.ts'
import { openWebhookStage } from './webhook-stage.ts'

const stage = await opened(openWebhookStage('held_webhooks'))
const owner = await opened(Promise.resolve(openOwner(stage.env)))

const soon = <Value>(look: () => Value | Promise<Value>) =>
  expect.poll(look, { timeout: 20_000, interval: 50 })

it('a webhook that is being told is laid down, and told again once its organization is released', async () => {
  const organizationId = await stage.newOrganizationId()
  const answers: (() => void)[] = []
  await using receiver = await openReceiver((_, response) =>
    answers.push(() => response.writeHead(204).end()),
  )
  const hook = await stage.newWebhook(organizationId, receiver.url)
  const worker = await stage.startWorker()
  await stage.happen(organizationId, newAssetId())
  await soon(() => receiver.numbers()).toEqual([1])
  await holdOrganization(owner, organizationId)
  answers[0]?.()
  await soon(() => worker.log).toContain('a webhook is laid down')
  expect(await stage.attempts(hook)).toEqual([])
  receiver.answerWith(answering(204))
  await releaseOrganization(owner, organizationId)
  await soon(() => receiver.numbers()).toEqual([1, 1])
  await soon(() => stage.deliveries(hook)).toMatchObject([{ state: 'delivered', attempts: 1 }])
  await stage.stopWorkers()
})

it('a webhook of an organization that is held or gone is not told', async () => {
  const [held, free] = [await stage.newOrganizationId(), await stage.newOrganizationId()]
  await using receiver = await openReceiver(answering(204))
  await using other = await openReceiver(answering(204))
  await stage.newWebhook(held, receiver.url)
  await stage.newWebhook(free, other.url)
  await stage.happen(held, newAssetId())
  await holdOrganization(owner, held)
  await markGone(owner, held)
  await stage.startWorker()
  await stage.happen(free, newAssetId())
  // Whoever is due longest is looked for first, so it has been passed over by now.
  await soon(() => other.numbers()).toEqual([1])
  expect(receiver.numbers()).toEqual([])
  await stage.stopWorkers()
})
