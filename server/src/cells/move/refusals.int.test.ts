/**
 * A migration is refused if the databases contradict the cells file: the rows that it would delete may be the only
 * copy.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  newOrganization,
  openOwner,
  resetDatabase,
  Superuser,
  setUpUploads,
  stackEnv,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { hasUnsequenced } from '../../modules/events/events.ts'
import {
  markDeleted,
  markMigratedAway,
  resumeOrganization,
  suspendOrganization,
} from '../../modules/suspension/suspension.ts'
import type { Query } from '../../platform/db/statement.ts'
import { readDirectory } from '../directory.ts'
import { requireCell } from '../placement.ts'
import { cancelMove } from './cancel-move.ts'
import { deleteMovedOrganization } from './delete-moved-organization.ts'
import { copyLateUploads, followUploads } from './files/late-uploads.ts'
import { moveOrganization } from './move.ts'
import { MoveLock } from './move-lock.store.ts'
import { openCell } from './open-cell.ts'
import { clockBefore } from './organization-state.store.ts'
import { assertSeparateBuckets } from './readiness/separate-buckets.ts'
import { deleteRows } from './rows/delete-rows.ts'
import { sequenceAll } from './sequence-events.ts'

const envs = ['refusals_a', 'refusals_b'].map((name) => withDatabase(stackEnv(), name))
await Promise.all(envs.map(resetDatabase))
const [envA = stackEnv(), envB = stackEnv()] = envs
const owner = await opened(Promise.resolve(openOwner(envA)))
const [a, b] = [await opened(Superuser.open(envA)), await opened(Superuser.open(envB))]
const folder = mkdtempSync(join(tmpdir(), 'reelkeep-refusals-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'cells.json')

const cellOf = (env: typeof envA, letter: string) => ({
  ...{ api: ['http://127.0.0.1:1'], keyEncryptionKeys: ['development'] },
  database: env.DATABASE_SUPERUSER_URL,
  storage: {
    ...{ endpoint: env.STORAGE_ENDPOINT, accessKeyId: env.STORAGE_ACCESS_KEY_ID },
    secretAccessKey: env.STORAGE_SECRET_ACCESS_KEY,
    ...(letter === 'b' && { uploadsBucket: 'no-uploads-b', mediaBucket: 'no-media-b' }),
  },
})

function writeDirectory(rest: object): void {
  const cells = { a: cellOf(envA, 'a'), b: cellOf(envB, 'b') }
  writeFileSync(file, JSON.stringify({ cells, newOrganizations: 'a', ...rest }))
}
const noteMove = (stage: 'copying' | 'arrived') => writeDirectory({ moves: { [id]: { from: 'a', to: 'b', stage } } })

writeDirectory({})
const directory = readDirectory(file)
const cellA = await opened(Promise.resolve(openCell(requireCell(directory, 'a'))))
const cellB = await opened(Promise.resolve(openCell(requireCell(directory, 'b'))))

let id: OrganizationId
beforeEach(async () => {
  id = (await newOrganization(owner)).organizationId
  writeDirectory({})
})

const isInB = async () => (await b.query('select from organizations where id = $1', [id])).length > 0
const bringToB = () => b.query(`insert into organizations (id, name) values ($1, 'there')`, [id])
const whyIn = async (database: typeof a) =>
  (await database.query<{ why: string }>('select why from held_organizations where organization_id = $1', [id]))[0]?.why
const actionsIn = async (database: typeof a) =>
  (await database.query<{ action: string }>('select action from audit_outbox where organization_id = $1', [id])).map(
    ({ action }) => action,
  )
const leaveA = async () => {
  await suspendOrganization(cellA.database, id, 'leaving')
  await markMigratedAway(cellA.database, id)
}
const move = (report: (line: string) => void = () => {}) =>
  moveOrganization({
    ...{ directoryFile: file, organizationId: id, to: 'b', isFollowing: true },
    ...{ signal: new AbortController().signal, report, onSequenced: () => [] },
  })

describe('a cells file that still says "copying" after the migration has ended', () => {
  beforeEach(async () => {
    noteMove('copying')
    await leaveA()
    await bringToB()
  })

  it('does not make a migration delete data in service', async () => {
    await expect(move()).rejects.toThrow('has already left cell a')
    expect([await isInB(), await whyIn(a), await whyIn(b)]).toEqual([true, 'gone', undefined])
  })

  it('does not make a cancellation delete data in service or resume the old cell', async () => {
    await expect(cancelMove(file, id)).rejects.toThrow('has already left cell a')
    expect([await isInB(), await whyIn(a), await whyIn(b)]).toEqual([true, 'gone', undefined])
  })
})

it('the error of a migration names the cell whose storage rejects the key in the cells file', async () => {
  const stale = { ...cellOf(envA, 'a').storage, secretAccessKey: 'rotated-away' }
  const cells = { a: { ...cellOf(envA, 'a'), storage: stale }, b: cellOf(envB, 'b') }
  writeFileSync(file, JSON.stringify({ cells, newOrganizations: 'a' }))
  await expect(move()).rejects.toThrow(
    'Storage of cell a: Storage refuses the access key (403). Check its endpoint and its key in CELLS_FILE.',
  )
})

it('an organization cannot be moved if the cells lack a schema migration of this release, even if both lack it', async () => {
  const newest = 'select max(version) from schema_migrations'
  const forget = `delete from schema_migrations where version = (${newest}) returning version`
  for (const database of [a, b]) {
    const [row] = await database.query<{ version: string }>(forget)
    onTestFinished(async () => {
      await database.query('insert into schema_migrations values ($1)', [row?.version])
    })
  }
  await expect(move()).rejects.toThrow('Cell b lacks a migration of this release')
  expect([await whyIn(a), await whyIn(b)]).toEqual([undefined, undefined])
})

it('the organization leaves the source only after the router has been reloaded', async () => {
  await suspendOrganization(cellA.database, id, 'leaving')
  await bringToB()
  await suspendOrganization(cellB.database, id, 'arriving')
  const seen = join(folder, 'seen')
  // The reload command records why the organization is suspended at the source while the router reloads.
  const check = `select why from held_organizations where organization_id = '${id}'`
  const reload = ['psql', envA.DATABASE_SUPERUSER_URL, '-Atc', check, '-o', seen]
  const moves = { [id]: { from: 'a', to: 'b', stage: 'arrived' } }
  writeDirectory({ moves, router: { file: join(folder, 'router.conf'), reload } })
  await move()
  expect(readFileSync(seen, 'utf8')).toBe('leaving\n')
  expect([await whyIn(a), await whyIn(b)]).toEqual(['gone', undefined])
})

describe('a migration whose data has arrived', () => {
  const heldIn = async (database: typeof a) =>
    (await database.query('select from standing_holds where not is_gone')).length

  it.each(['the router', 'has left cell a', 'jobs have been copied'])(
    'raises an alert if it is killed after reporting "%s", and the next run completes it',
    async (step) => {
      const before = [await heldIn(a), await heldIn(b)]
      await suspendOrganization(cellA.database, id, 'leaving')
      await bringToB()
      await suspendOrganization(cellB.database, id, 'arriving')
      noteMove('arrived')
      const dying = move((line) => {
        if (line.includes(step)) throw new Error('killed')
      })
      await expect(dying).rejects.toThrow('killed')
      // The view `standing_holds`, which raises the alert, contains the suspension at the destination.
      expect(await heldIn(b)).toBe((before[1] ?? 0) + 1)
      await expect(cancelMove(file, id)).rejects.toThrow('has arrived in cell b')
      await move()
      expect([await whyIn(a), await whyIn(b)]).toEqual(['gone', undefined])
      expect([await heldIn(a), await heldIn(b)]).toEqual(before)
    },
  )
})

describe('another organization with the same id at the destination', () => {
  it('is not deleted, whether it is suspended or not', async () => {
    await bringToB()
    noteMove('copying')
    await expect(move()).rejects.toThrow('that this move did not create')
    await expect(cancelMove(file, id)).rejects.toThrow('that this move did not create')
    await suspendOrganization(cellB.database, id)
    await expect(move()).rejects.toThrow('that this move did not create')
    expect([await isInB(), await whyIn(b)]).toEqual([true, 'operator'])
  })
})

it('an organization that is being deleted cannot be moved, but its earlier move can be cancelled', async () => {
  await suspendOrganization(cellA.database, id)
  await markDeleted(cellA.database, id, 7)
  await expect(move()).rejects.toThrow('is being deleted in cell a')
  expect([await isInB(), await whyIn(b)]).toEqual([false, undefined])
  noteMove('copying')
  await bringToB()
  await suspendOrganization(cellB.database, id, 'arriving')
  await expect(move()).rejects.toThrow('is being deleted in cell a')
  await cancelMove(file, id)
  expect([await isInB(), await whyIn(a), await whyIn(b)]).toEqual([false, 'deleted', undefined])
  expect(await actionsIn(a)).toEqual(['admin.cancel-move'])
})

describe('rows of an organization', () => {
  it('are deleted only while the organization is suspended for the given reason', async () => {
    await bringToB()
    const forget = () => deleteRows(cellB.database, id, 'arriving')
    await expect(forget()).rejects.toThrow('may be in service')
    await suspendOrganization(cellB.database, id)
    await expect(forget()).rejects.toThrow('may be in service')
    expect(await isInB()).toBe(true)
    await resumeOrganization(cellB.database, id)
    await suspendOrganization(cellB.database, id, 'arriving')
    await forget()
    expect(await isInB()).toBe(false)
  })
})

describe('an organization', () => {
  it('cannot be moved while another process holds the lock in one of the databases', async () => {
    noteMove('copying')
    for (const { DATABASE_SUPERUSER_URL: url } of [envA, envB]) {
      await using lock = await MoveLock.acquire([url], id)
      await lock?.assertHeld()
      await expect(move()).rejects.toThrow('is being moved by another process')
      await expect(cancelMove(file, id)).rejects.toThrow('is being moved by another process')
    }
  })

  it('cannot be deleted from a cell before it has left, or while another process holds the lock', async () => {
    writeDirectory({ organizations: { [id]: 'b' } })
    await bringToB()
    await expect(deleteMovedOrganization(file, id, 'a')).rejects.toThrow('has not left cell a')
    await leaveA()
    await using _lock = await MoveLock.acquire([envA.DATABASE_SUPERUSER_URL], id)
    await expect(deleteMovedOrganization(file, id, 'a')).rejects.toThrow('is being moved or deleted by another process')
    expect(await a.query('select from organizations where id = $1', [id])).toHaveLength(1)
  })
})

describe('a lock whose connection was closed', () => {
  it('is reported as lost by assertHeld', async () => {
    await using lock = await MoveLock.acquire([envA.DATABASE_SUPERUSER_URL], id)
    await a.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'reelkeep migrator' and datname = current_database()`,
    )
    await expect(lock?.assertHeld()).rejects.toThrow('another process may be moving')
    expect(lock?.lost.aborted).toBe(true)
  })
})

describe('a cancelled migration', () => {
  it('leaves no rows at the destination and resumes the organization at the source', async () => {
    noteMove('copying')
    await suspendOrganization(cellA.database, id, 'leaving')
    await suspendOrganization(cellB.database, id, 'arriving')
    await b.query(`set session_replication_role = replica`)
    await bringToB()
    expect(await cancelMove(file, id)).toMatchObject({ from: 'a', to: 'b' })
    expect([await isInB(), await whyIn(a), await whyIn(b)]).toEqual([false, undefined, undefined])
    expect(JSON.parse(readFileSync(file, 'utf8')).moves).toEqual({})
    expect(await actionsIn(a)).toEqual(['admin.cancel-move'])
  })
})

describe('unsequenced events', () => {
  it('are sequenced by sequenceAll, which throws if some are left', async () => {
    const record = `insert into event_outbox (organization_id, id, type, subject, data)
      values ($1, gen_random_uuid(), 'folder.updated', 'x', '{}')`
    await a.query(record, [id])
    const db = cellA.database.forMigration(id)
    await sequenceAll(db, () => [])
    expect(await hasUnsequenced(db)).toBe(false)
    await a.query(record, [id])
    // Simulates more events than sequenceAll can sequence: without `forMigration`, the suspension prevents sequencing.
    await suspendOrganization(cellA.database, id, 'leaving')
    await expect(sequenceAll(cellA.database.forOrganization(id), () => [])).rejects.toThrow('waiting to be sequenced')
  })
})

describe('a migration that was killed while the source was suspended', () => {
  it('does not leave the source suspended if the next run fails', async () => {
    noteMove('copying')
    await suspendOrganization(cellA.database, id, 'leaving')
    await expect(move()).rejects.toThrow('The bucket no-uploads-b does not exist')
    expect(await whyIn(a)).toBeUndefined()
  })
})

describe('two cells with shared storage', () => {
  const { storage } = cellOf(envA, 'a')
  const endpoint = envA.STORAGE_ENDPOINT.replace('127.0.0.1', 'localhost')
  const cells = {
    a: cellOf(envA, 'a'),
    b: { ...cellOf(envB, 'b'), storage: { ...storage, endpoint } },
  }
  const probesLeft = () => Array.fromAsync(cellA.buckets.uploads.objects.list('reelkeep-probe'))

  it('are rejected by a migration if they use the same buckets under another host name', async () => {
    writeDirectory({ cells })
    await expect(move()).rejects.toThrow('uploads bucket of cell b under another name')
    expect(readDirectory(file).moves).toEqual({})
    expect(await probesLeft()).toEqual([])
  })

  it('are rejected by deleteMovedOrganization if they use the same buckets under another host name', async () => {
    writeDirectory({ cells, organizations: { [id]: 'b' } })
    await leaveA()
    await bringToB()
    const key = `${id}/asset/video`
    await cellA.buckets.media.put({ key, body: 'x', type: 'text/plain' })
    await expect(deleteMovedOrganization(file, id, 'a')).rejects.toThrow('under another name')
    expect(await cellA.buckets.media.findText(key)).toBe('x')
  })

  /** Cells whose second one has buckets of its own. */
  const apartCells = async () => {
    const [STORAGE_UPLOADS_BUCKET, STORAGE_MEDIA_BUCKET] = ['apart-uploads', 'apart-media']
    await setUpUploads(envB, { STORAGE_UPLOADS_BUCKET, STORAGE_MEDIA_BUCKET })
    const buckets = { uploadsBucket: STORAGE_UPLOADS_BUCKET, mediaBucket: STORAGE_MEDIA_BUCKET }
    return { ...cells, b: { ...cells.b, storage: { ...storage, ...buckets } } }
  }

  it('leave an audit entry where the organization is when what it left behind is deleted', async () => {
    writeDirectory({ cells: await apartCells(), organizations: { [id]: 'b' } })
    await leaveA()
    await bringToB()
    await deleteMovedOrganization(file, id, 'a')
    expect(await a.query('select from organizations where id = $1', [id])).toEqual([])
    expect(await actionsIn(b)).toEqual(['admin.delete-moved-organization'])
  })

  it('are accepted if each of them has its own buckets', async () => {
    writeDirectory({ cells: await apartCells() })
    await using apart = openCell(requireCell(readDirectory(file), 'b'))
    await assertSeparateBuckets(cellA, apart)
    await assertSeparateBuckets(apart, cellA)
    expect(await probesLeft()).toEqual([])
  })
})

describe('uploads that started before the migration', () => {
  /** Inserts an upload session and returns its row as JSON. */
  const beginUpload = async (database = a) => {
    await database.query(
      `insert into assets (organization_id, id, title, search_title, grams, resolutions, content_protection_type, generate_subtitle)
       values ($1, gen_random_uuid(), 'x', 'x', '{}', '{240p}', 'disable', false)`,
      [id],
    )
    const [session] = await database.query<{ text: string }>(
      `insert into upload_sessions (organization_id, uuid, asset_id, max_file_size_bytes, expires_at, closes_at)
       select organization_id, gen_random_uuid(), id, 100, now() + interval '1 hour', now() + interval '2 hours'
       from assets where organization_id = $1 order by created_at desc limit 1
       returning to_jsonb(upload_sessions)::text as text`,
      [id],
    )
    return session?.text
  }
  const bringUpload = (session: string | undefined) =>
    b.query(`insert into upload_sessions select * from jsonb_populate_record(null::upload_sessions, $1::jsonb)`, [
      session,
    ])
  const way = () => ({
    ...{ source: cellA, destination: cellB, organizationId: id, report: () => {} },
    signal: new AbortController().signal,
  })
  const there = () => cellB.database.forOrganization(id)
  beforeEach(async () => {
    await b.query('set session_replication_role = replica')
    await bringToB()
    return () => b.query('reset session_replication_role')
  })

  it('make followUploads reject if it is stopped before they have ended', async () => {
    await bringUpload(await beginUpload())
    const stop = new AbortController()
    const following = followUploads({ ...way(), signal: stop.signal }, there())
    stop.abort()
    await expect(following).rejects.toThrow('may still arrive in cell a')
  })

  it('are checked by copyLateUploads, even if they started while the suspension was being committed', async () => {
    await using holder = await Superuser.open(envA)
    await holder.query('begin')
    await holder.query(`insert into held_organizations (organization_id, why) values ($1, 'leaving')`, [id])
    const session = await beginUpload()
    await holder.query('commit')
    await bringUpload(session)
    await beginUpload(b)
    expect(await copyLateUploads(way(), there())).toMatchObject({ open: 1 })
  })
})

describe('clockBefore', () => {
  it('returns a time that is not later than the start of any running transaction', async () => {
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const ask = { name: '', text: 'select now() as at', values: () => [] } as Query<{
      at: Timestamp
    }>
    const under = owner.forOrganization(id).transaction(async (tx) => {
      const [[row]] = await tx.run(ask)
      begun.resolve()
      await goOn.promise
      return row?.at
    })
    await begun.promise
    const since = await clockBefore(cellA.database, 0)
    goOn.resolve()
    expect(since <= ((await under) ?? '')).toBe(true)
  })
})
