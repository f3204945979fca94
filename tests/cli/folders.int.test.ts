import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'

type Folder = { readonly uuid: string; readonly title: string }

const fixture = await opened(CliFixture.open())
const { run, json, caller } = fixture

const create = (title: string, parent = 'root') => json<Folder>(['folders', 'create', title, '--in', parent])

const lectures = await create('Lectures')
const [year, talks] = [await create('2026', 'Lectures'), await create('会議', lectures.uuid)]
await create('Zürich', 'Lectures/2026')

it('folders tree draws the tree, and marks folders with hidden subfolders', async () => {
  const whole = await run(['folders', 'tree'])
  expect(whole.stdout.replace(/ {2}\w{11}/g, '')).toBe(
    ['└── Lectures', '    ├── 2026', '    │   └── Zürich', '    └── 会議', ''].join('\n'),
  )
  const cut = await run(['folders', 'tree', 'Lectures', '--depth', '1'])
  expect(cut.stdout).toContain(`├── 2026  ${year.uuid}  (more)\n└── 会議  ${talks.uuid}\n`)
})

it('folders list aligns wide characters; --json prints an array', async () => {
  const { stdout } = await run(['folders', 'list', '--in', 'Lectures'])
  expect(stdout).toBe(`UUID         TITLE\n${year.uuid}  2026\n${talks.uuid}  会議\n`)
  expect(await json(['folders', 'list', '--query', 'zur'])).toMatchObject([{ title: 'Zürich' }])
  const page = await run(['folders', 'list', '--limit', '1'])
  expect(page.stderr).toContain('Showing 1 of 4 folders. Use --all to show all.')
  const cut = await run(['folders', 'list', '--limit', '1', '--json'])
  expect(JSON.parse(cut.stderr)).toEqual({ note: expect.stringContaining('--all') })
  expect(await json(['folders', 'list', '--limit', '1', '--all'])).toHaveLength(4)
})

it('folders can be named by path; a path that several folders have is an error', async () => {
  const one = await create('Twice')
  const { body: other } = await caller.post<Folder>('assets/folders/', { title: 'Twice' })
  const { code, stderr } = await run(['folders', 'show', 'Twice'])
  expect(code).toBe(5)
  expect(stderr).toContain('2 folders have the path Twice.')
  expect(stderr).toMatch(new RegExp(`${one.uuid}, ${other.uuid}|${other.uuid}, ${one.uuid}`))
  const missing = await run(['folders', 'show', 'Lectures/2027'])
  expect([missing.code, missing.stderr]).toEqual([4, expect.stringContaining('Lectures/2027')])
})

it('folders create refuses an existing title; --if-missing prints the existing folder', async () => {
  const refused = await run(['folders', 'create', 'Lectures'])
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining(lectures.uuid) })
  expect(refused.stderr).toContain('--if-missing')
  const again = await run(['folders', 'create', '2026', '--in', 'Lectures', '--if-missing'])
  expect(again).toMatchObject({ code: 0, stdout: `${year.uuid}  2026\n` })
  const elsewhere = await run(['folders', 'create', '2026', '--if-missing'])
  expect(elsewhere.code).toBe(0)
  expect(elsewhere.stdout).not.toContain(year.uuid)
})

it('folders can be renamed and moved', async () => {
  const { uuid } = await create('Drafts')
  const renamed = await run(['folders', 'rename', 'Drafts', 'Rough cuts'])
  expect(renamed.stdout).toMatch(/^folder +Rough cuts\nuuid +/)
  const moved = await run(['folders', 'move', uuid, 'Lectures/2026'])
  expect(moved.stdout).toContain('Lectures/2026/Rough cuts')
  expect(await json(['folders', 'move', uuid, 'root'])).toMatchObject({ uuid, parent: null })
})

it('folders delete asks for confirmation, with the number of items', async () => {
  const { uuid } = await create('Old')
  await create('Older', uuid)
  const args = ['folders', 'delete', 'Old', '--recursive']
  const rejected = await run(args)
  expect(rejected).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  const declined = await fixture.atTerminal(args, 'n\r').ended()
  expect(declined.stdout).toContain('Move 2 folders and 0 assets to the trash?')
  expect(declined.code).toBe(1)
  const notEmpty = await run(['folders', 'delete', 'Old', '--yes'])
  expect(notEmpty).toMatchObject({ code: 5, stderr: expect.stringContaining('folder_not_empty') })
  const deleted = await run([...args, '--yes'])
  expect(deleted.stdout).toMatch(/^Moved 2 folders and 0 assets to the trash\. Restore: reelkeep folders restore /)
  expect((await run(['folders', 'show', uuid])).code).toBe(4)
})

it('folders update sets and removes the external ID and metadata, and show prints them', async () => {
  await create('Course 17')
  const set = ['--external-id', 'course-17', '--metadata', 'term=summer', '--metadata', 'room=4']
  expect(await json(['folders', 'update', 'Course 17', ...set])).toMatchObject({
    external_id: 'course-17',
    metadata: { term: 'summer', room: '4' },
  })
  const { stdout } = await run(['folders', 'show', 'Course 17'])
  expect(stdout).toMatch(/external id\s+course-17\nmetadata\s+room=4, term=summer/)
  const removed = await json(['folders', 'update', 'Course 17', '--external-id', '', '--metadata', 'room='])
  expect(removed).toMatchObject({ external_id: null, metadata: { term: 'summer' } })
  const nothing = await run(['folders', 'update', 'Course 17'])
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('--external-id')])
})
