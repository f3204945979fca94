import { expect, it } from 'vitest'
import { openCommandFixture, problemResponse } from '../../../testing/command-fixture.ts'
import { exitCodes } from '../../exit-codes.ts'
import { foldersCommand } from './folders.ts'

const [talks, others] = ['1111111111A', '1111111111B']
const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' }
const details = { ...times, path: [], external_id: null, metadata: {} }

/** Creates a service whose root has folders with these uuids, all with the title Talks. */
const openService = (...uuids: string[]) =>
  openCommandFixture((call) => {
    if (call === 'GET assets/folders/')
      return { body: { count: 1, next: null, results: uuids.map((uuid) => ({ uuid, title: 'Talks' })) } }
    if (call.startsWith('GET assets/folders/')) {
      const uuid = call.split('/').at(-2)
      return { body: { ...details, uuid, title: uuid === talks ? 'Talks' : 'Others', parent: null } }
    }
    return { body: { ...details, uuid: 'new', title: 'Talks', parent: null } }
  })

const changesIn = (requests: readonly string[]) => requests.filter((call) => !call.startsWith('GET'))

it.each([
  ['create', 'Talks'],
  ['create', ' Talks '],
  ['rename', others, 'Talks'],
])('folders %s refuses the title of another folder with the same parent: %s', async (...args) => {
  await using fixture = await openService(talks)
  await expect(fixture.run(foldersCommand, ...args)).rejects.toMatchObject({
    message: `A folder with the title Talks already exists there: ${talks}.`,
    exitCode: exitCodes.conflict,
  })
  expect(changesIn(fixture.requests)).toEqual([])
})

it('folders move refuses a parent that has another folder with the same title', async () => {
  await using fixture = await openService(others)
  const moving = fixture.run(foldersCommand, 'move', talks, 'root')
  await expect(moving).rejects.toMatchObject({ exitCode: exitCodes.conflict })
  expect(changesIn(fixture.requests)).toEqual([])
})

it('folders rename and folders move accept the title that the folder has already', async () => {
  await using fixture = await openService(talks)
  await fixture.run(foldersCommand, 'rename', talks, 'Talks')
  await fixture.run(foldersCommand, 'move', talks, 'root')
  expect(changesIn(fixture.requests)).toHaveLength(2)
})

it('folders create --if-missing prints the existing folder, or creates the folder', async () => {
  await using existing = await openService(talks)
  await existing.run(foldersCommand, 'create', 'Talks', '--if-missing')
  expect(existing.results).toEqual([{ uuid: talks, title: 'Talks' }])
  expect(changesIn(existing.requests)).toEqual([])
  await using empty = await openService()
  await empty.run(foldersCommand, 'create', 'Talks', '--if-missing')
  expect(empty.results).toMatchObject([{ uuid: 'new' }])
})

it('folders create --if-missing fails if several folders have the title', async () => {
  await using fixture = await openService(talks, others)
  const creating = fixture.run(foldersCommand, 'create', 'Talks', '--if-missing')
  await expect(creating).rejects.toMatchObject({
    exitCode: exitCodes.conflict,
    message: '2 folders have the path Talks.',
  })
})

it('folders create works without the permission to list folders', async () => {
  await using fixture = await openCommandFixture((call) =>
    call.startsWith('GET') ? problemResponse(403, 'forbidden') : { body: { uuid: 'new', title: 'Talks' } },
  )
  await fixture.run(foldersCommand, 'create', 'Talks')
  expect(fixture.results).toMatchObject([{ uuid: 'new' }])
})
