import { Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'

type Event = { readonly type: string; readonly number: number; readonly data: { title: string } }

const fixture = await opened(CliFixture.open())
const { run, start, caller } = fixture
const newFolder = (title: string) => caller.post('assets/folders/', { title })
const linesOf = (text: string): Event[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

it('events --follow prints events until Ctrl-C, and exits with 130', async () => {
  const people = start(['events', '--follow', '--types', 'folder.*'])
  const machine = start(['events', '--follow', '--json', '--after', '0'])
  await expect.poll(people.stderr).toContain('Following events.')
  await newFolder('Something new')
  await expect.poll(people.stdout).toMatch(/ {2}folder\.created +\w{11} {2}Something new\n$/)
  await expect.poll(machine.stdout).toContain('Something new')
  expect(linesOf(machine.stdout()).map(({ type }) => type)).toContain('token.created')
  expect((await people.interrupted()).code).toBe(130)
  const stopped = await machine.interrupted()
  expect([stopped.code, JSON.parse(stopped.stderr)]).toEqual([
    130,
    { error: { message: 'Interrupted.', exit_code: 130 } },
  ])
})

it('events prints one page, or the whole log with --all', async () => {
  for (const title of ['One', 'Two', 'Three']) await newFolder(title)
  const numbered = async () => {
    const { stdout } = await run(['events', 'list', '--types', 'folder.created', '--json'])
    return linesOf(stdout || '[]')
  }
  await expect.poll(async () => (await numbered()).at(-1)?.data?.title).toBe('Three')
  const all = await numbered()
  const after = String(all.at(-3)?.number)
  const page = await run(['events', '--after', after, '--limit', '1', '--json'])
  expect(linesOf(page.stdout).map(({ data }) => data.title)).toEqual(['Two'])
  const human = await run(['events', '--after', after, '--limit', '1'])
  expect(human.stderr).toContain('There are more events. Use --after ')
  const rest = await run(['events', '--after', after, '--limit', '1', '--all', '--json'])
  expect(linesOf(rest.stdout).map(({ data }) => data.title)).toEqual(['Two', 'Three'])
})

it('events --after 0 starts with the oldest stored event', async () => {
  await using superuser = await Superuser.open()
  await newFolder('Forgotten')
  await newFolder('Kept')
  const log = async () => linesOf((await run(['events', '--all', '--json'])).stdout)
  await expect.poll(async () => (await log()).at(-1)?.data.title).toBe('Kept')
  const lastNumber = (await log()).at(-1)?.number
  await superuser.query('delete from events where organization_id = $1 and number < $2', [
    caller.organizationId,
    lastNumber,
  ])
  const listed = await run(['events', '--after', '0', '--json'])
  expect(listed).toMatchObject({ code: 0 })
  expect(linesOf(listed.stdout).map(({ number }) => number)).toEqual([lastNumber])
  const following = start(['events', '--follow', '--after', '0', '--json'])
  await expect.poll(following.stdout).toContain('Kept')
  await following.interrupted()
})
