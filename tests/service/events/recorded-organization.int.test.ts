/** Events about the organization itself. */

import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { setEmbedOrigins } from '@reelkeep/server/modules/organizations/organizations.ts'
import { openOwner, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, expect, it } from 'vitest'
import { newEventRecorder } from './recorded-events.ts'

const testApi = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
const recorder = newEventRecorder()

afterAll(() => expect(recorder.unseenTypes('organization')).toEqual([]))

it('a change of the settings is recorded once, also if the operator makes it', async () => {
  const caller = await testApi.newOrganization()
  const eventLog = await recorder.open(caller)
  const { body } = await caller.patch<object>('organization/', { trash_days: 3 })
  expect((await caller.patch('organization/', { trash_days: 3 })).status).toBe(200)
  expect((await caller.patch('organization/', { trash_days: 366 })).status).toBe(400)
  expect(await eventLog.next()).toMatchObject([{ type: 'organization.updated', asset_id: null, data: body }])
  const origins = ['https://www.example.com']
  await setEmbedOrigins(owner.forOrganization(caller.organizationId as OrganizationId), origins)
  expect(await eventLog.next()).toMatchObject([
    { type: 'organization.updated', data: { ...body, allowed_embed_origins: origins } },
  ])
})
