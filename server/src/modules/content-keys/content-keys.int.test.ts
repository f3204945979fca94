/** Creating, rotating and rewrapping master keys, with the database roles that do it. */
import { createSecretKey } from 'node:crypto'
import {
  type Caller,
  openOwner,
  openSession,
  resetDatabase,
  Superuser,
  stackEnv,
  TestApi,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import { Database, type OrganizationDb } from '../../platform/db/database.ts'
import { suspendOrganization } from '../suspension/suspension.ts'
import { aesKeys, drmKeys, KeyUnavailable, protectAsset, rewrapMasterKeys, rotateMasterKey } from './content-keys.ts'

// Rewrapping affects all master keys of a database, so this test has its own.
const env = withDatabase(stackEnv(), 'content_keys')
await resetDatabase(env)
const testApi = await opened(TestApi.open({}, env))
const owner = await opened(Promise.resolve(openOwner(env)))
const superuser = await opened(Superuser.open(env))
const options = { url: env.DATABASE_WORKER_URL, connectionsMax: 8, statementTimeoutSeconds: 10 }
const worker = await opened(Promise.resolve(new Database(options, () => {})))

const keyOf = (id: string, filling: number) => ({
  id,
  key: createSecretKey(Buffer.alloc(32, filling)),
})
const [older, newer] = [keyOf('older', 1), keyOf('newer', 2)]
const ring: KeyRing = [older]

let caller: Caller
/** Connects with the worker role. */
let db: OrganizationDb
beforeEach(async () => {
  caller = await testApi.newOrganization()
  db = worker.forOrganization(caller.organizationId as OrganizationId)
})

const newAsset = async () => ({ id: (await openSession(caller)).asset.id as AssetId })

async function newProtected(by = ring) {
  const asset = await newAsset()
  await protectAsset(by, db, asset)
  return asset
}

const masterKeys = () =>
  superuser.query<{ generation: number; wrappedWith: string; wrapped: Buffer }>(
    `select generation, key_encryption_id as "wrappedWith", wrapped from organization_master_keys
     where organization_id = $1 order by generation`,
    [caller.organizationId],
  )

const firstKey = async (asset: { id: AssetId }, by = ring) => (await aesKeys(by, db, asset)).keyOf(0).toString('hex')

const asOwner = () => owner.forOrganization(caller.organizationId as OrganizationId)

describe('a master key', () => {
  it('is created once on first use, also by concurrent calls', async () => {
    const assets = await Promise.all(Array.from({ length: 8 }, newAsset))
    await Promise.all(assets.map((asset) => protectAsset(ring, db, asset)))
    expect(await masterKeys()).toHaveLength(1)
    const keys = await Promise.all(assets.map((asset) => firstKey(asset)))
    expect(new Set(keys).size).toBe(8)
  })

  it('is not created by reads', async () => {
    await expect(aesKeys(ring, db, await newAsset())).rejects.toThrow('not protected yet')
    expect(await masterKeys()).toEqual([])
  })

  it('differs between organizations', async () => {
    const { id } = await newProtected()
    const mine = (await masterKeys())[0]?.wrapped
    caller = await testApi.newOrganization()
    db = worker.forOrganization(caller.organizationId as OrganizationId)
    await expect(aesKeys(ring, db, { id })).rejects.toThrow('not protected yet')
    await newProtected()
    expect((await masterKeys())[0]?.wrapped).not.toEqual(mine)
  })

  it('is not replaced if it cannot be unwrapped', async () => {
    const asset = await newProtected()
    const before = await masterKeys()
    for (const wrong of [[newer], [keyOf('older', 9)]] as const) {
      await expect(aesKeys(wrong, db, asset)).rejects.toThrow(KeyUnavailable)
      await expect(drmKeys(wrong, db, asset)).rejects.toThrow(KeyUnavailable)
      await expect(newProtected(wrong)).rejects.toThrow(KeyUnavailable)
      await expect(rotateMasterKey(wrong, asOwner())).rejects.toThrow(KeyUnavailable)
    }
    expect(await masterKeys()).toEqual(before)
  })

  it('cannot be changed or deleted by the worker role', async () => {
    await newProtected()
    for (const text of [
      'update organization_master_keys set generation = 2',
      'delete from organization_master_keys',
      'update asset_protections set generation = 2',
    ]) {
      const denied = db.run({ name: '', text, values: () => [] })
      await expect(denied).rejects.toMatchObject({ code: '42501' })
    }
  })
})

describe('the rotation of a master key', () => {
  it('keeps the keys of existing videos and gives new videos other keys', async () => {
    const before = await newProtected()
    const key = await firstKey(before)
    expect(await rotateMasterKey(ring, asOwner())).toBe(2)
    const after = await newProtected()
    // The later parts of this video are encoded after the rotation.
    await protectAsset(ring, db, before)
    expect(await firstKey(before)).toBe(key)
    const generations = await superuser.query(
      'select asset_id, generation from asset_protections where organization_id = $1 order by 2',
      [caller.organizationId],
    )
    expect(generations).toEqual([
      { asset_id: before.id, generation: 1 },
      { asset_id: after.id, generation: 2 },
    ])
  })

  it('creates the first key of an organization', async () => {
    expect(await rotateMasterKey(ring, asOwner())).toBe(1)
    await newProtected()
    expect(await masterKeys()).toHaveLength(1)
  })

  it('succeeds only once if two rotations run concurrently', async () => {
    const both = await Promise.allSettled([1, 2].map(() => rotateMasterKey(ring, asOwner())))
    const generations = (await masterKeys()).map(({ generation }) => generation)
    const succeeded = both.filter(({ status }) => status === 'fulfilled')
    expect(generations).toHaveLength(succeeded.length)
    expect(new Set(generations).size).toBe(generations.length)
  })

  it('gives all parts of a video the same keys if it happens during encoding', async () => {
    await newProtected()
    const asset = await newAsset()
    await Promise.all([
      ...Array.from({ length: 6 }, () => protectAsset(ring, db, asset)),
      rotateMasterKey(ring, asOwner()),
    ])
    const keys = await Promise.all(Array.from({ length: 6 }, () => firstKey(asset)))
    expect(new Set(keys).size).toBe(1)
  })
})

describe('rewrapping master keys', () => {
  it('wraps all master keys with the first key of the ring and changes no video keys', async () => {
    const assets = [await newProtected()]
    await rotateMasterKey(ring, asOwner())
    assets.push(await newProtected())
    const keys = await Promise.all(assets.map((asset) => firstKey(asset)))
    const both: KeyRing = [newer, older]
    expect((await rewrapMasterKeys(both, owner)).rewrapped).toBeGreaterThanOrEqual(2)
    expect((await masterKeys()).map(({ wrappedWith }) => wrappedWith)).toEqual(['newer', 'newer'])
    // The keys can be unwrapped without the older key.
    expect(await Promise.all(assets.map((asset) => firstKey(asset, [newer])))).toEqual(keys)
    expect(await rewrapMasterKeys(both, owner)).toEqual({ rewrapped: 0, suspended: new Set() })
  })

  it('skips suspended organizations and handles the others', async () => {
    const suspendedCaller = caller
    const { organizationId: suspendedId } = db
    await newProtected()
    await superuser.query(`update organization_master_keys set key_encryption_id = 'lost' where organization_id = $1`, [
      suspendedId,
    ])
    await suspendOrganization(owner, suspendedId)
    caller = await testApi.newOrganization()
    db = worker.forOrganization(caller.organizationId as OrganizationId)
    await newProtected()
    expect((await rewrapMasterKeys([newer, older], owner)).suspended).toEqual(new Set([suspendedId]))
    expect((await masterKeys()).map(({ wrappedWith }) => wrappedWith)).toEqual(['newer'])
    caller = suspendedCaller
    expect((await masterKeys()).map(({ wrappedWith }) => wrappedWith)).toEqual(['lost'])
  })

  it('stops at a key that it cannot unwrap and does not change it', async () => {
    await newProtected()
    const before = await masterKeys()
    const unknown: KeyRing = [keyOf('unknown', 5)]
    await expect(rewrapMasterKeys(unknown, owner)).rejects.toThrow(KeyUnavailable)
    expect(await masterKeys()).toEqual(before)
  })
})
