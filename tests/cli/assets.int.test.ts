import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSession, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'

const fixture = await opened(CliFixture.open())
const { run, json, caller } = fixture

const first = await openSession(caller, { title: 'Opening' })
const second = await uploadAsset(caller, { title: '映画 of the year' })
const [one, two] = [first.asset.id, second.asset.id]

it('assets list shows assets, newest first, with filters', async () => {
  const { stdout } = await run(['assets', 'list'])
  const [heading, ...rows] = stdout.trimEnd().split('\n')
  expect(heading).toMatch(/^ID +TITLE +STATUS +LENGTH +SIZE +CREATED$/)
  expect(rows.map((row) => row.slice(0, 36))).toEqual([two, one])
  expect(rows[0]).toMatch(/ {2}映画 of the year {2}Queued +32 B {2}(now|\d+ seconds? ago)$/)
  expect(await json(['assets', 'list', '--status', 'Not Started'])).toMatchObject([{ id: one }])
  expect(await json(['assets', 'list', '--query', 'YEAR', '--folder', 'root'])).toHaveLength(1)
  expect(await json(['assets', 'list', '--status', 'Error,Queued', '--status', 'Completed'])).toMatchObject([
    { id: two },
  ])
  expect(await json(['assets', 'list', '--id', one, '--id', two, '--order', 'title'])).toMatchObject([
    { id: one },
    { id: two },
  ])
  const slim = { id: one, video: { status: 'Not Started' } }
  expect(await json(['assets', 'list', '--id', one, '--fields', 'id,video.status'])).toEqual([slim])
  expect((await run(['assets', 'list', '--fields', 'id'])).code).toBe(2)
  const narrow = ['--tag', 'none', '--has', 'error', '--duration-min', '1', '--created-after', '2026-01-01']
  expect(await json(['assets', 'list', ...narrow])).toEqual([])
  const none = await run(['assets', 'list', '--query', 'nothing of the kind'])
  expect(none).toEqual({ code: 0, stdout: '', stderr: 'No assets.\n' })
  expect(await json(['assets', 'list', '--query', 'nothing of the kind'])).toEqual([])
})

it('assets show, timeline and plan print an asset', async () => {
  const shown = await run(['assets', 'show', one])
  expect(shown.stdout).toMatch(/^asset +Opening\nid +/)
  expect(shown.stdout).toMatch(/status +Not Started\n/)
  expect(await json(['assets', 'show', one])).toMatchObject({ id: one, title: 'Opening' })
  expect((await run(['assets', 'timeline', two])).stdout).toMatch(/uploaded\n(.*\n)*Waiting: /)
  expect((await run(['assets', 'plan', one])).stdout).toMatch(/360p +undecided/)
})

it('assets can be renamed, moved, cancelled and retried', async () => {
  const folder = await json<{ uuid: string }>(['folders', 'create', 'Films'])
  expect((await run(['assets', 'rename', two, 'Another title'])).stdout).toContain('Another title')
  expect(await json(['assets', 'move', two, 'Films'])).toMatchObject({ parent_id: folder.uuid })
  expect(await json(['assets', 'cancel', two])).toMatchObject({ video: { status: 'Cancelled' } })
  expect(await json(['assets', 'retry', two])).toMatchObject({ video: { status: 'Queued' } })
  const again = await run(['assets', 'retry', two])
  expect(again).toMatchObject({ code: 5, stderr: expect.stringMatching(/, request /) })
})

it('assets can be named by path, title or id', async () => {
  const named = async (name: string) => (await json<{ id: string }>(['assets', 'show', name])).id
  expect(await named('Films/Another title')).toBe(two)
  expect(await named('Another title')).toBe(two)
  expect(await named('/Opening')).toBe(one)
  const missing = await run(['assets', 'show', 'Films/Opening'])
  expect(missing).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('No such asset: Films/Opening'),
  })
  const again = await openSession(caller, { title: 'Another title' })
  const twice = await run(['assets', 'show', 'Another title'])
  expect(twice).toMatchObject({ code: 5, stderr: expect.stringContaining(again.asset.id) })
  expect(await named('Films/Another title')).toBe(two)
})

it('assets link prints the URL of a page with the player', async () => {
  for (const zero of [
    ['assets', 'link', two, '--expires-in', '0'],
    ['assets', 'list', '--limit', '0'],
  ])
    expect((await run(zero)).code).toBe(2)
  const { stdout } = await run(['assets', 'link', two, '--viewer', 'customer-42'])
  const page = stdout.trim()
  expect(page).toContain(`/embed/${caller.organizationId}/${two}/?token=`)
  // Sends only the first request of the page, because loading the page would need the built player.
  const token = new URL(page).searchParams.get('token')
  const about = `${fixture.api.baseUrl}/play/${token}/${caller.organizationId}/${two}/about.json`
  expect((await fetch(about)).status).toBe(200)
  expect((await fetch(about.replace(two, one))).status).toBe(403)
  const listed = await run(['access-tokens', 'list', two])
  expect(listed.stdout).toMatch(/customer-42 +expires in \d+ (hours|days)/)
})

it('assets download saves the source under its title, and never replaces a file', async () => {
  const { asset } = await uploadAsset(caller, { title: 'Talk: part 1', content_protection_type: 'disable' })
  const saved = await run(['assets', 'download', asset.id])
  expect(saved).toMatchObject({ code: 0, stdout: 'Saved Talk- part 1 (32 B).\n' })
  const text = 'a file of thirty-two whole bytes'
  expect(readFileSync(join(fixture.home, 'Talk- part 1'), 'utf8')).toBe(text)
  expect(await run(['assets', 'download', asset.id])).toMatchObject({ code: 5 })
  expect((await run(['assets', 'download', asset.id, '--output', '-'])).stdout).toBe(text)
  const { code, stderr } = await run(['assets', 'download', asset.id, '--mp4', '240p', '--output', 'talk.mp4'])
  expect([code, stderr]).toEqual([5, expect.stringContaining('No rendition is complete yet')])
  expect(readdirSync(fixture.home)).not.toContain('talk.mp4.part')
})

it('assets cover shows the cover, and refuses what cannot be the cover', async () => {
  expect((await run(['assets', 'cover', one])).stdout).toBe('The video has no cover yet.\n')
  expect((await run(['assets', 'cover', one, '--at', '12.5'])).code).toBe(5)
  expect((await run(['assets', 'cover', one, '--at', '1', '--thumbnail', '1'])).code).toBe(2)
  expect((await run(['assets', 'cover', one, '--at', 'soon'])).code).toBe(2)
  writeFileSync(join(fixture.home, 'cover.png'), 'an image')
  const uploaded = await run(['assets', 'cover', one, '--image', 'cover.png'])
  expect(uploaded).toMatchObject({ code: 0, stdout: 'The new cover is being created.\n' })
  expect(await json(['assets', 'cover', one, '--reset'])).toEqual({ status: 'ready', is_custom: false, url: null })
})

it('assets watch exits with 7 if the video will not become ready', async () => {
  const watching = fixture.start(['assets', 'watch', two])
  await expect.poll(watching.stderr).toContain('Queued')
  await caller.post(`assets/${two}/cancel/`)
  const { code, stderr } = await watching.ended()
  expect([code, stderr]).toEqual([7, expect.stringContaining('✗ ')])
})

it('assets delete asks for confirmation', async () => {
  const rejected = await run(['assets', 'delete', one])
  expect(rejected).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  const confirmed = await fixture.atTerminal(['assets', 'delete', one], 'y\r').ended()
  expect(confirmed.stdout).toContain('Moved Opening to the trash.')
  expect((await run(['assets', 'show', one])).code).toBe(4)
  expect(await json(['assets', 'delete', two, '--yes'])).toEqual({ id: two, deleted: true })
})

it('assets update changes the given fields and keeps the others', async () => {
  const { asset } = await openSession(fixture.caller, { title: 'Fields' })
  const set = [
    '--tag',
    'b',
    '--tag',
    'A',
    '--external-id',
    'one',
    '--metadata',
    'course=17',
    '--description',
    'Two\nlines',
  ]
  expect(await fixture.json(['assets', 'update', asset.id, ...set])).toMatchObject({
    ...{ title: 'Fields', description: 'Two\nlines', tags: ['A', 'b'], external_id: 'one', metadata: { course: '17' } },
  })
  expect(await fixture.json(['assets', 'update', 'Fields', '--no-tags', '--title', 'Renamed'])).toMatchObject({
    ...{ title: 'Renamed', tags: [], external_id: 'one' },
  })
  const { code, stderr } = await fixture.run(['assets', 'update', 'Renamed'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--title')])
})
