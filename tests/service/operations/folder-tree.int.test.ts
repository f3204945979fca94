/**
 * Several clients create, rename, move and delete folders at random and concurrently, in two organizations. In every
 * order of these requests, the result must be a tree: without cycles, lost folders, excessive depth or folders in the
 * other organization, and with exact counts.
 */
import { type Caller, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const FOLDERS = 'assets/folders/'
const CALLERS = 4
const RUNS = 100

type Folder = { title: string; uuid: string }
type Details = Folder & { parent: string | null; path: Folder[]; folder_count: number }
type Page = { count: number; next: string | null; results: Folder[] }

type Step =
  | { do: 'create'; title: string; parent: number }
  | { do: 'rename'; folder: number; title: string }
  | { do: 'move'; folder: number; parent: number }
  | { do: 'delete'; folder: number; recursive: boolean }

const title = fc.string({ unit: fc.constantFrom(...'abÄ%_ '), minLength: 1, maxLength: 6 }).map((text) => `x${text}`)
const pick = fc.nat({ max: 40 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('create' as const), title, parent: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rename' as const), folder: pick, title }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('move' as const), folder: pick, parent: pick }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('delete' as const),
      folder: pick,
      recursive: fc.boolean(),
    }),
  },
)
/** The steps of each caller; the callers run in parallel. */
const schedule = fc.array(fc.array(step, { maxLength: 12 }), {
  minLength: CALLERS,
  maxLength: CALLERS,
})

const testApi = await opened(TestApi.open())

it('concurrent changes by several clients leave a valid folder tree', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async (steps) => {
      const ours = await testApi.newOrganization()
      const theirs = await testApi.newOrganization()
      const theirFolder = (await theirs.post<Folder>(FOLDERS, { title: 'theirs' })).body
      const journal = { created: new Set<string>(), known: [theirFolder.uuid], deletions: 0 }
      await Promise.all(steps.map((own) => perform(ours, own, journal)))
      await expectTree(ours, journal)
      expect((await theirs.get<Page>(FOLDERS)).body.results).toEqual([theirFolder])
    }),
    { numRuns: RUNS },
  )
})

type Journal = { readonly created: Set<string>; readonly known: string[]; deletions: number }

async function perform(caller: Caller, steps: readonly Step[], journal: Journal): Promise<void> {
  // The first known folder belongs to the other organization, so every operation is also tried on a foreign folder.
  const choose = (index: number) => journal.known[index % journal.known.length] ?? ''
  for (const one of steps) {
    const { status } = await attempt(caller, one, choose, journal)
    expect([200, 201, 204, 400, 404, 409]).toContain(status)
    if (status === 204) journal.deletions++
  }
}

async function attempt(caller: Caller, step: Step, choose: (index: number) => string, journal: Journal) {
  if (step.do === 'create') {
    const parent = step.parent % 3 === 0 ? null : choose(step.parent)
    const response = await caller.post<Folder>(FOLDERS, { title: step.title, parent })
    if (response.status === 201) {
      journal.created.add(response.body.uuid)
      journal.known.push(response.body.uuid)
    }
    return response
  }
  const path = `${FOLDERS}${choose(step.folder)}/`
  if (step.do === 'rename') return caller.patch(path, { title: step.title })
  if (step.do === 'delete') return caller.delete(`${path}?recursive=${step.recursive}`)
  const parent = step.parent % 5 === 0 ? null : choose(step.parent)
  return caller.post(`${path}move/`, { parent })
}

async function expectTree(caller: Caller, { created, deletions }: Journal): Promise<void> {
  const folders = await walk(caller)
  if (deletions === 0) expect(folders).toHaveLength(created.size)
  const details = await Promise.all(
    folders.map(async ({ uuid }) => (await caller.get<Details>(`${FOLDERS}${uuid}/`)).body),
  )
  const byUuid = new Map(details.map((folder) => [folder.uuid, folder]))
  for (const folder of details) {
    expect(created.has(folder.uuid)).toBe(true)
    // In a cycle, the path would never reach the root.
    expect(folder.path.length).toBeLessThan(32)
    expect(folder.path.at(-1)?.uuid ?? null).toBe(folder.parent)
    if (folder.parent !== null) expect(byUuid.get(folder.parent)?.path).toEqual(folder.path.slice(0, -1))
    const children = details.filter(({ parent }) => parent === folder.uuid)
    expect(folder.folder_count).toBe(children.length)
  }
}

/** Returns every folder of the organization, and checks the counts of the lists. */
async function walk(caller: Caller): Promise<Folder[]> {
  const folders: Folder[] = []
  let page = (await caller.get<Page>(`${FOLDERS}?limit=7`)).body
  for (;;) {
    folders.push(...page.results)
    expect(folders.length, 'folders listed').toBeLessThanOrEqual(page.count)
    if (page.next === null) break
    page = (await caller.get<Page>(page.next)).body
  }
  expect(page.count).toBe(folders.length)
  return folders
}
