/** A worker does the bulk operation of a principal that is limited to a folder. */
import type { bulkOperations, folders, tokens } from '@reelkeep/contract'
import {
  fastWorkerSettings,
  resetDatabase,
  Superuser,
  stackEnv,
  TestApi,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const env = withDatabase(stackEnv(), 'bulk_limited_principal')
await resetDatabase(env)
const testApi = await opened(TestApi.open({}, env))
const superuser = await opened(Superuser.open(env))

const insert = `
  insert into assets (organization_id, id, title, search_title, grams, resolutions, content_protection_type,
    generate_subtitle, folder_uuid)
  values ($1, gen_random_uuid(), $2, $2, '{}', '{240p}', 'disable', false, $3) returning id`

it('changes the assets in the folder, and none that is outside, also if it has left since', async () => {
  const caller = await testApi.newOrganization()
  const newFolder = async (title: string) => (await caller.post<folders.Folder>('assets/folders/', { title })).body.uuid
  const [inside, outside] = [await newFolder('Inside'), await newFolder('Outside')]
  const newAsset = async (title: string, folder: string) =>
    (await superuser.query<{ id: string }>(insert, [caller.organizationId, title, folder]))[0]?.id ?? ''
  await newAsset('stays', inside)
  await newAsset('elsewhere', outside)
  const leaving = await newAsset('leaves', inside)
  const scopes = ['assets:read', 'assets:write']
  const token = (await caller.post<tokens.NewToken>('tokens/', { name: 'Limited', scopes, folder_uuid: inside })).body
  const { status, body } = await caller
    .withToken(token.token)
    .post<bulkOperations.BulkOperation>('bulk-operations/', { action: 'add_tags', filter: {}, tags: ['seen'] })
  expect(status).toBe(201)
  await superuser.query('update assets set folder_uuid = $2 where id = $1', [leaving, outside])

  await using _worker = await WorkerProcess.start({ env, settings: fastWorkerSettings })
  const operation = async () =>
    (await caller.get<bulkOperations.BulkOperation>(`bulk-operations/${body.id}/`)).body.status
  await expect.poll(operation, { interval: 100 }).toBe('Completed')
  const tagged = await superuser.query<{ title: string }>(
    `select title from assets where organization_id = $1 and 'seen' = any (tags)`,
    [caller.organizationId],
  )
  expect(tagged).toEqual([{ title: 'stays' }])
})
