/** Random requests of principals with different limits against a simple model. `RANDOM_SCHEDULES=300` runs more. */
import type { Problem, tokens } from '@reelkeep/contract'
import { type Caller, newMember, randomRun, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LimitsModel, type ModelPrincipal } from './limits-model.ts'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

const { schedules, seed } = randomRun

const captions = 'WEBVTT\n\n00:01.000 --> 00:02.000\nwalrus\n'

const kinds = [
  ...([
    'createFolder',
    'createAsset',
    'moveAsset',
    'moveFolder',
    'deleteAsset',
    'restoreAsset',
    'deleteFolder',
  ] as const),
] as const
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  by: fc.nat(3),
  /** Which asset or folder; index 0 of a target is the root. */
  nth: fc.nat(6),
  target: fc.nat(6),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

type Actor = { readonly principal: ModelPrincipal; readonly caller: Caller }

class World {
  readonly model = new LimitsModel()
  readonly actors: readonly Actor[]

  private constructor(actors: readonly Actor[]) {
    this.actors = actors
  }

  /** A tree of four folders, a principal without limits, two with a folder, and one with what it created. */
  static async open(): Promise<World> {
    const caller = await testApi.newOrganization()
    const newFolder = async (parent: string | null) =>
      (await caller.post<{ uuid: string }>('assets/folders/', { title: 'x', parent })).body.uuid
    const [top, beside] = [await newFolder(null), await newFolder(null)]
    const middle = await newFolder(top)
    const deep = await newFolder(middle)
    const limited = async (name: string, limit: string): Promise<Actor> => {
      const { body } = await caller.post<tokens.NewToken>('tokens/', { name, scopes: ['*'], folder_uuid: limit })
      return { principal: { name, limit }, caller: caller.withToken(body.token) }
    }
    const own = await newMember(superuser, caller, { ownOnly: true })
    const world = new World([
      { principal: { name: 'all' }, caller },
      await limited('middle', middle),
      await limited('deep', deep),
      { principal: { name: 'own', ownOnly: true }, caller: own.caller },
    ])
    for (const [uuid, parent] of [
      [top, null],
      [beside, null],
      [middle, top],
      [deep, middle],
    ] as const) {
      world.model.folders.set(uuid, { parent, isDeleted: false })
    }
    return world
  }

  /** Sends the request, and returns the expected and the actual result. */
  async run({ kind, by, nth, target }: Step): Promise<readonly [expected: string, actual: string]> {
    const { model } = this
    const { principal, caller } = this.actors[by] as Actor
    const folders = [...model.folders.keys()]
    const place = target === 0 ? null : (folders[(target - 1) % folders.length] ?? null)
    const folder = folders[nth % folders.length] ?? ''
    const asset =
      [...model.assets.keys()][nth % Math.max(model.assets.size, 1)] ?? '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'
    switch (kind) {
      case 'createFolder': {
        const created = await caller.post<{ uuid: string } & Problem>('assets/folders/', { title: 'x', parent: place })
        const expected = model.createIn(principal, place, 'parent_not_found')
        if (created.status === 201) model.folders.set(created.body.uuid, { parent: place, isDeleted: false })
        return [expected, resultOf(created)]
      }
      case 'createAsset': {
        const expected = model.createIn(principal, place, 'target_folder_not_found')
        const body = { title: 'x', resolutions: ['360p'], folder: place }
        const created = await caller.post<{ asset: { id: string } } & Problem>('assets/upload-sessions/', body)
        if (created.status === 201) {
          model.assets.set(created.body.asset.id, { folder: place, creator: principal.name, isDeleted: false })
          await caller.post(`assets/${created.body.asset.id}/subtitles/`, { language: 'en', content: captions })
        }
        return [expected, resultOf(created)]
      }
      case 'moveAsset': {
        const actual = resultOf(await caller.post<Problem>(`assets/${asset}/move/`, { folder: place }))
        return [model.moveAsset(principal, asset, place), actual]
      }
      case 'moveFolder': {
        const actual = resultOf(await caller.post<Problem>(`assets/folders/${folder}/move/`, { parent: place }))
        return [model.moveFolder(principal, folder, place), actual]
      }
      case 'deleteAsset':
        return [model.deleteAsset(principal, asset), resultOf(await caller.delete<Problem>(`assets/${asset}/`))]
      case 'restoreAsset': {
        const actual = resultOf(await caller.post<Problem>(`assets/${asset}/restore/`, {}))
        return [model.restoreAsset(principal, asset), actual]
      }
      case 'deleteFolder': {
        const actual = resultOf(await caller.delete<Problem>(`assets/folders/${folder}/?recursive=true`))
        return [model.deleteFolder(principal, folder), actual]
      }
    }
  }

  /** The rows that each principal sees, as expected, as the API lists them, and as a search finds them. */
  async compare() {
    const expected = this.actors.map(({ principal }) => withCounts(this.model.visible(principal)))
    const actual = await Promise.all(
      this.actors.map(async ({ caller }) => ({ ...(await listed(caller)), ...(await found(caller)) })),
    )
    return [expected, actual] as const
  }
}

const resultOf = ({ status, body }: { status: number; body: Problem | undefined }) =>
  status < 300 ? 'ok' : (body?.code ?? String(status))

type Visible = { readonly assets: readonly string[]; readonly folders: readonly string[] }
const withCounts = ({ assets, folders }: Visible) => ({
  ...{ assets, folders, assetCount: assets.length, folderCount: folders.length },
  ...{ foundByTitle: assets, foundByCaption: assets },
})

async function listed(caller: Caller) {
  type List = { readonly count: number; readonly results: readonly { readonly id: string; readonly uuid: string }[] }
  const [assets, folders] = [
    (await caller.get<List>('assets/?limit=100')).body,
    (await caller.get<List>('assets/folders/?limit=100')).body,
  ]
  return {
    assets: assets.results.map(({ id }) => id).sort(),
    folders: folders.results.map(({ uuid }) => uuid).sort(),
    ...{ assetCount: assets.count, folderCount: folders.count },
  }
}

/** Assets by their titles, which are all `x`, and by their captions. */
async function found(caller: Caller) {
  type Results = { readonly results: readonly { readonly asset: { readonly id: string } }[] }
  const idsOf = async (query: string) => {
    const { body } = await caller.get<Results>(`search/?limit=100&${query}`)
    return body.results.map(({ asset }) => asset.id).sort()
  }
  return { foundByTitle: await idsOf('q=x&in=titles'), foundByCaption: await idsOf('q=walrus&in=transcript') }
}

it(`principals see and change exactly what the model says, in ${schedules} random schedules`, async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
    const world = await World.open()
    // Something to change in each folder, created by different principals.
    for (const target of [1, 2, 3, 4])
      await world.run({ kind: 'createAsset', by: target === 3 ? 3 : 0, nth: 0, target })
    for (const each of steps) {
      const [expected, actual] = await world.run(each)
      expect([each, actual]).toEqual([each, expected])
    }
    const [expected, actual] = await world.compare()
    expect(actual).toEqual(expected)
  })
  await fc.assert(property, { numRuns: schedules, seed })
}, 3_600_000)
