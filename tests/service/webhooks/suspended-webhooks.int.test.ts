/** Tests how webhook dispatchers handle the webhooks of a suspended organization. */

import type { ServerResponse } from 'node:http'
import { newAssetId } from '@reelkeep/server/kernel/ids.ts'
import {
  markMigratedAway,
  resumeOrganization,
  suspendOrganization,
} from '@reelkeep/server/modules/suspension/suspension.ts'
import { openOwner } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { eventually } from './in-process-dispatcher.ts'
import { openReceiver, respondWithStatus } from './receiver.ts'
import { openWebhookFixture } from './webhook-fixture.ts'

const fixture = await opened(openWebhookFixture('suspended_webhooks'))
const owner = await opened(Promise.resolve(openOwner(fixture.env)))

it('a webhook request that ends during a suspension is repeated when the organization is resumed', async () => {
  const organizationId = await fixture.newOrganizationId()
  const openResponses: ServerResponse[] = []
  await using receiver = await openReceiver((_, response) => void openResponses.push(response))
  const webhook = await fixture.newWebhook(organizationId, receiver.url)
  const worker = await fixture.startWorker()
  await fixture.recordAssetEvents(organizationId, newAssetId())
  await eventually(() => receiver.numbers()).toEqual([1])
  await suspendOrganization(owner, organizationId)
  openResponses[0]?.writeHead(204).end()
  await eventually(() => worker.log).toContain('webhook released')
  expect(await fixture.attempts(webhook)).toEqual([])
  receiver.setResponder(respondWithStatus(204))
  await resumeOrganization(owner, organizationId)
  await eventually(() => receiver.numbers()).toEqual([1, 1])
  await eventually(() => fixture.deliveries(webhook)).toMatchObject([{ state: 'delivered', attempts: 1 }])
  await fixture.stopWorkers()
})

it('webhooks of a suspended or migrated organization are not delivered', async () => {
  const [suspended, active] = [await fixture.newOrganizationId(), await fixture.newOrganizationId()]
  await using receiver = await openReceiver(respondWithStatus(204))
  await using other = await openReceiver(respondWithStatus(204))
  await fixture.newWebhook(suspended, receiver.url)
  await fixture.newWebhook(active, other.url)
  await fixture.recordAssetEvents(suspended, newAssetId())
  await suspendOrganization(owner, suspended)
  await markMigratedAway(owner, suspended)
  await fixture.startWorker()
  await fixture.recordAssetEvents(active, newAssetId())
  // The webhook that has been due for longest is checked first, so it has been skipped when this event arrives.
  await eventually(() => other.numbers()).toEqual([1])
  expect(receiver.numbers()).toEqual([])
  await fixture.stopWorkers()
})
