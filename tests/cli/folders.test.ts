import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CommandStage } from './command.ts'

type Folder = { readonly uuid: string; readonly title: string }

const stage = await opened(CommandStage.open())
const { run, json } = stage

const create = (title: string, parent = 'root') =>
  json<Folder>(['folders', 'create', title, '--in', parent])

const lectures = await create('Lectures')
const [year, talks] = [await create('2026', 'Lectures'), await create('会議', lectures.uuid)]
await create('Zürich', 'Lectures/2026')

it('draws the tree, and says where it ends before the folders do', async () => {
  const whole = await run(['folders', 'tree'])
  expect(whole.stdout.replace(/ {2}\w{11}/g, '')).toBe(
    ['└── Lectures', '    ├── 2026', '    │   └── Zürich', '    └── 会議', ''].join('\n'),
  )
  const cut = await run(['folders', 'tree', 'Lectures', '--depth', '1'])
  expect(cut.stdout).toContain(`├── 2026  ${year.uuid}  …more in it\n└── 会議  ${talks.uuid}\n`)
})

it('lists, with columns that wide characters do not move; --json prints an array', async () => {
  const { stdout } = await run(['folders', 'list', '--in', 'Lectures'])
  expect(stdout).toBe(`UUID         TITLE\n${year.uuid}  2026\n${talks.uuid}  会議\n`)
  expect(await json(['folders', 'list', '--query', 'zur'])).toMatchObject([{ title: 'Zürich' }])
  const page = await run(['folders', 'list', '--limit', '1'])
  expect(page.stderr).toContain('1 of 4 folders. All of them: --all')
  const cut = await run(['folders', 'list', '--limit', '1', '--json'])
  expect(JSON.parse(cut.stderr)).toEqual({ note: expect.stringContaining('--all') })
  expect(await json(['folders', 'list', '--limit', '1', '--all'])).toHaveLength(4)
})

it('names folders by path; one title twice in a place has to be told apart', async () => {
  const [one, other] = [await create('Twice'), await create('Twice')]
  const { code, stderr } = await run(['folders', 'show', 'Twice'])
  expect(code).toBe(5)
  expect(stderr).toContain('2 folders are called Twice.')
  expect(stderr).toMatch(new RegExp(`${one.uuid}, ${other.uuid}|${other.uuid}, ${one.uuid}`))
  const missing = await run(['folders', 'show', 'Lectures/2027'])
  expect([missing.code, missing.stderr]).toEqual([4, expect.stringContaining('Lectures/2027')])
})

it('renames and moves', async () => {
  const { uuid } = await create('Drafts')
  const renamed = await run(['folders', 'rename', 'Drafts', 'Rough cuts'])
  expect(renamed.stdout).toMatch(/^folder +Rough cuts\nuuid +/)
  const moved = await run(['folders', 'move', uuid, 'Lectures/2026'])
  expect(moved.stdout).toContain('Lectures/2026/Rough cuts')
  expect(await json(['folders', 'move', uuid, 'root'])).toMatchObject({ uuid, parent: null })
})

it('does not delete what nobody confirmed, and tells what goes', async () => {
  const { uuid } = await create('Old')
  await create('Older', uuid)
  const args = ['folders', 'delete', 'Old', '--recursive']
  const refused = await run(args)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  const kept = await stage.atTerminal(args, 'n\r').ended()
  expect(kept.stdout).toContain('Delete 2 folders and 0 assets?')
  expect(kept.code).toBe(1)
  const notEmpty = await run(['folders', 'delete', 'Old', '--yes'])
  expect(notEmpty).toMatchObject({ code: 5, stderr: expect.stringContaining('folder_not_empty') })
  const deleted = await run([...args, '--yes'])
  expect(deleted.stdout).toBe('Deleted 2 folders and 0 assets.\n')
  expect((await run(['folders', 'show', uuid])).code).toBe(4)
})
