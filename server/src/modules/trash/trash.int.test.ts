/** The purge of what has been in the trash for long enough. */
import type { events } from '@reelkeep/contract'
import { type Caller, openDatabase, openSession, Superuser, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { assetsInFolders } from '../assets/deletion/asset-deletion.ts'
import { purgeTrash } from './trash.ts'

const FOLDERS = 'assets/folders/'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
const worker = await opened(Promise.resolve(openDatabase(stackEnv().DATABASE_WORKER_URL)))
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const failures: unknown[] = []
const settings = { formSecondsMax: 60 }
const purge = () =>
  purgeTrash(worker, {
    settings,
    assets: assetsInFolders(settings),
    signal: new AbortController().signal,
    onFailure: (error) => failures.push(error),
  })

/** Ends the time in the trash of everything that the organization has deleted. */
async function endTime(): Promise<void> {
  for (const table of ['assets', 'folders']) {
    const set = `update ${table} set purge_at = now() where organization_id = $1 and purge_at is not null`
    await superuser.query(set, [caller.organizationId])
  }
}

const newFolder = async (title: string, parent: string | null = null) =>
  (await caller.post<{ uuid: string }>(FOLDERS, { title, parent })).body.uuid
const newAsset = async (folder: string | null = null) => (await openSession(caller, { folder })).asset.id
const idsLeft = async (table: 'assets' | 'folders', id: 'id' | 'uuid') => {
  const select = `select ${id} as id from ${table} where organization_id = $1 order by ${id}`
  return (await superuser.query<{ id: string }>(select, [caller.organizationId])).map((row) => row.id)
}
const eventTypes = async () =>
  (await caller.get<{ results: events.Event[] }>('events/?types=asset.purged,folder.purged')).body.results.map(
    ({ type }) => type,
  )

describe('the purge of the trash', () => {
  it('removes assets and folders whose time has ended, and nothing else', async () => {
    const folder = await newFolder('folder')
    const inner = await newFolder('inner', folder)
    const [due, kept] = [await newAsset(), await newAsset()]
    await newAsset(inner)
    await caller.delete(`assets/${due}/`)
    await caller.delete(`${FOLDERS}${folder}/?recursive=true`)
    await purge()
    expect(await idsLeft('assets', 'id')).toHaveLength(3)
    await endTime()
    const later = await newAsset()
    await caller.delete(`assets/${later}/`)
    await purge()
    expect(await idsLeft('assets', 'id')).toEqual([kept, later].sort())
    expect(await idsLeft('folders', 'uuid')).toEqual([])
    expect(await eventTypes()).toEqual(['asset.purged', 'asset.purged', 'folder.purged', 'folder.purged'])
    expect(failures).toEqual([])
  })

  it('removes more assets than fit into one transaction', async () => {
    const ids = await Promise.all(Array.from({ length: 101 }, () => newAsset()))
    await Promise.all(ids.map((id) => caller.delete(`assets/${id}/`)))
    await endTime()
    await purge()
    expect([await idsLeft('assets', 'id'), failures]).toEqual([[], []])
  })

  it('keeps what is in a folder on legal hold until the hold is lifted', async () => {
    const folder = await newFolder('folder')
    const inner = await newFolder('inner', folder)
    const asset = await newAsset(folder)
    await caller.delete(`assets/${asset}/`)
    await caller.delete(`${FOLDERS}${inner}/`)
    await caller.patch(`${FOLDERS}${folder}/`, { legal_hold: true })
    await endTime()
    await purge()
    expect(await idsLeft('assets', 'id')).toEqual([asset])
    expect(await idsLeft('folders', 'uuid')).toHaveLength(2)
    await caller.patch(`${FOLDERS}${folder}/`, { legal_hold: false })
    await purge()
    expect([await idsLeft('assets', 'id'), await idsLeft('folders', 'uuid')]).toEqual([[], [folder]])
    expect(failures).toEqual([])
  })
})

describe('a legal hold', () => {
  it('also refuses a deletion by the operator in the database', async () => {
    const asset = await newAsset()
    await caller.patch(`assets/${asset}/`, { legal_hold: true })
    const remove = superuser.query('delete from assets where organization_id = $1', [caller.organizationId])
    await expect(remove).rejects.toThrow('the asset is under legal hold')
  })
})
