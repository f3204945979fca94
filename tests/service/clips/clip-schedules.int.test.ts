/**
 * Random schedules of clips, trims, replacements, deletions, restores and purges against a model of what storage must
 * hold. Workers that delete are killed and replaced at random. `RANDOM_SCHEDULES=300` runs more.
 */
import type { assets, versions } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { activateCompleted } from '@reelkeep/server/modules/versions/versions.ts'
import {
  assetToken,
  type Caller,
  Objects,
  postForm,
  processAsset,
  randomRun,
  resetDatabase,
  Superuser,
  stackEnv,
  TestApi,
  uploadAsset,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { ClipModel } from './clip-model.ts'

const env = withDatabase(stackEnv(), 'clip_schedules')
await resetDatabase(env)
const testApi = await opened(TestApi.open({}, env))
const superuser = await opened(Superuser.open(env))
const objects = new Objects(env, testApi.context.config.STORAGE_MEDIA_BUCKET)
// Only deletions run in the worker; the test does what processing does.
const settings = { WORKER_POLL_MILLISECONDS: '100', WORKER_QUEUES: 'light' }
let worker = await WorkerProcess.start({ env, settings })
afterAll(() => worker[Symbol.asyncDispose]())

const { schedules, seed } = randomRun
const VERSIONS_KEPT = 1

const kinds = ['clip', 'clip', 'trim', 'untrim', 'replace', 'delete', 'restore', 'purge', 'purge'] as const
/** Starting a worker takes seconds, so few steps kill it. */
const kind = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...kinds) },
  { weight: 1, arbitrary: fc.constant('kill' as const) },
)
const step = fc.record({ kind, nth: fc.nat(6), start: fc.nat(14) })
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

type ModelAsset = ClipModel['assets'] extends Map<string, infer Asset> ? Asset : never
type Change = {
  readonly id: string
  readonly asset: ModelAsset
  readonly part: { readonly start_seconds: number; readonly end_seconds: number }
}

class World {
  readonly model = new ClipModel(VERSIONS_KEPT)
  readonly caller: Caller

  private constructor(caller: Caller) {
    this.caller = caller
  }

  static async open(): Promise<World> {
    const world = new World(await testApi.newOrganization())
    const of = [world.caller.organizationId, VERSIONS_KEPT]
    await superuser.query('update organizations set versions_kept = $2 where id = $1', of)
    for (let count = 0; count < 2; count++) {
      const { asset } = await uploadAsset(world.caller, { content_protection_type: 'disable' })
      await processAsset({ organizationId: world.caller.organizationId, assetId: asset.id }, env)
      world.model.addAsset(asset.id)
    }
    return world
  }

  async run({ kind, nth, start }: Step): Promise<void> {
    if (kind === 'kill') {
      await worker.stop('SIGKILL')
      await worker[Symbol.asyncDispose]()
      worker = await WorkerProcess.start({ env, settings })
      return
    }
    const entries = [...this.model.assets]
    const [id, asset] = entries[nth % Math.max(1, entries.length)] ?? []
    if (id === undefined || asset === undefined) return
    const part = { start_seconds: start / 10, end_seconds: start / 10 + 0.5 }
    await this.#change(kind, { id, asset, part })
  }

  async #change(kind: (typeof kinds)[number], { id, asset, part }: Change): Promise<void> {
    const { model, caller } = this
    const found = asset.isInTrash ? 404 : undefined
    switch (kind) {
      case 'clip':
        return this.#clip({ id, asset, part })
      case 'trim':
        expect((await caller.put(`assets/${id}/trim/`, shorter(asset.isClip, part))).status).toBe(found ?? 200)
        if (!found) asset.isTrimmed = true
        return
      case 'untrim':
        expect((await caller.delete(`assets/${id}/trim/`)).status).toBe(found ?? 204)
        if (!found) asset.isTrimmed = false
        return
      case 'replace':
        return this.#replace(id, asset.isInTrash, asset.isClip)
      case 'delete':
        expect((await caller.delete(`assets/${id}/`)).status).toBe(found ?? 204)
        asset.isInTrash = true
        return
      case 'restore':
        expect((await caller.post(`assets/${id}/restore/`)).status).toBe(200)
        asset.isInTrash = false
        return
      case 'purge':
        expect((await caller.delete(`assets/${id}/?permanently=true`)).status).toBe(204)
        model.purge(id)
    }
  }

  async #clip({ id, asset, part }: Change): Promise<void> {
    // The times are those of the part that is shown.
    const ofShown = shorter(asset.isClip || asset.isTrimmed, part)
    const { status, body } = await this.caller.post<assets.Asset>(`assets/${id}/clips/`, ofShown)
    expect(status).toBe(asset.isInTrash ? 404 : 201)
    if (status === 201) this.model.addClip(body.id, asset)
  }

  async #replace(id: string, isInTrash: boolean, isClip: boolean): Promise<void> {
    const { caller, model } = this
    const { status, body } = await caller.post<versions.NewVersion>(`assets/${id}/versions/`, {})
    expect(status).toBe(isInTrash ? 404 : isClip ? 409 : 201)
    if (status !== 201) return
    await postForm(body)
    await caller.post(`assets/upload-sessions/${body.upload_session.uuid}/complete/`)
    const { number } = body.version
    const [row] = await superuser.query<{ media: string }>(
      'select media_id as media from asset_versions where organization_id = $1 and asset_id = $2 and number = $3',
      [caller.organizationId, id, number],
    )
    await processAsset({ organizationId: caller.organizationId, assetId: row?.media ?? '' }, env)
    const db = testApi.context.database.forOrganization(caller.organizationId as OrganizationId)
    await activateCompleted({ formSecondsMax: 1 }, db, { assetId: id as AssetId, number })
    const asset = model.assets.get(id)
    if (asset) model.addVersion(asset, row?.media ?? '')
  }

  /** Every asset that is not in the trash plays, and no other. */
  async assertPlays(): Promise<void> {
    for (const [assetId, { isInTrash }] of this.model.assets) {
      const video = { organizationId: this.caller.organizationId, assetId }
      const base = `/play/${assetToken(testApi.context.tokenIssuer, video)}/${video.organizationId}/${assetId}/`
      const get = (path: string) => testApi.send({ method: 'GET', path, headers: {}, body: undefined })
      const master = await get(`${base}master.m3u8`)
      expect(master.status).toBe(isInTrash ? 404 : 200)
      if (isInTrash) continue
      const [track = ''] = master.text.split('\n').filter((line) => line.endsWith('240p.m3u8'))
      const playlist = await get(base + track)
      const folder = track.replace(/[^/]*$/, '')
      for (const uri of playlist.text.split('\n').filter((line) => line.endsWith('.m4s'))) {
        expect((await get(base + folder + uri)).status).toBe(200)
      }
    }
  }

  /** Ids of all media with objects in storage. */
  async stored(): Promise<string[]> {
    const keys = await objects.versions(`${this.caller.organizationId}/`)
    return [...new Set(keys.map(({ key }) => key.split('/')[1] ?? ''))].sort()
  }
}

/** Clips and trimmed videos are at most half a second long, so parts of them are their first frames. */
const shorter = (isPart: boolean, part: { start_seconds: number; end_seconds: number }) =>
  isPart ? { start_seconds: 0, end_seconds: 0.1 } : part

it(`storage holds exactly what is referred to (${schedules} schedules, seed ${seed})`, async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (schedule) => {
    const world = await World.open()
    for (const one of schedule) await world.run(one)
    await world.assertPlays()
    await expect.poll(() => world.stored(), { timeout: 120_000 }).toEqual(world.model.stored())
    for (const id of [...world.model.assets.keys()]) {
      await world.caller.delete(`assets/${id}/?permanently=true`)
      world.model.purge(id)
    }
    await expect.poll(() => world.stored(), { timeout: 120_000 }).toEqual([])
  })
  await fc.assert(property, { numRuns: schedules, seed, endOnFailure: true })
})
