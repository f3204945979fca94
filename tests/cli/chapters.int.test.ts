import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { probedAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'

const fixture = await opened(CliFixture.open())
const { run, json, caller, home } = fixture

const newVideo = async () => (await probedAsset(caller, { durationSeconds: 3600 })).asset.id
const exported = async (asset: string) => (await run(['chapters', 'export', asset, '--format', 'lines'])).stdout

it('chapters can be added, listed and deleted', async () => {
  const asset = await newVideo()
  await run(['chapters', 'add', asset, '4:30', 'Questions'])
  expect(await json(['chapters', 'add', asset, '0:00:00', 'Opening'])).toMatchObject([{ id: 2 }])
  expect((await run(['chapters', 'list', asset])).stdout).toBe(
    'ID  START     TITLE\n 2  00:00:00  Opening\n 1  00:04:30  Questions\n',
  )
  expect((await run(['chapters', 'delete', asset, '2'])).code).toBe(2)
  expect((await run(['chapters', 'delete', asset, '2', '--yes'])).stdout).toBe('Deleted chapter 2.\n')
  expect(await json(['chapters', 'list', asset])).toHaveLength(1)
})

it('chapters import detects every format that chapters export writes', async () => {
  const [one, other] = [await newVideo(), await newVideo()]
  writeFileSync(join(home, 'chapters.txt'), '0:00 Opening\n12:30 Questions\n')
  const imported = await run(['chapters', 'import', one, 'chapters.txt'])
  expect(imported.stderr).toBe('Imported 2 chapters.\n')
  for (const format of ['webvtt', 'podcasting', 'ffmetadata']) {
    const { stdout: text } = await run(['chapters', 'export', one, '--format', format])
    await run(['chapters', 'import', other, '-', '--replace', '--yes'], { input: text })
    expect([format, await exported(other)]).toEqual([format, '00:00:00 Opening\n00:12:30 Questions\n'])
  }
  const missing = await run(['chapters', 'import', one, 'nowhere.vtt'])
  expect(missing).toMatchObject({ code: 2, stderr: '✗ nowhere.vtt does not exist.\n' })
})

const description = `Our talk of the year, recorded in May.

0:00 Opening
12:30 - Questions, and answers
Music by an orchestra.
`

it('chapters paste adds the chapters of a description, and prints them', async () => {
  const asset = await newVideo()
  const pasted = await run(['chapters', 'paste', asset], { input: description })
  expect(pasted.stdout).toBe('Added 2 chapters.\n')
  expect(pasted.stderr).toBe('START  TITLE\n 0:00  Opening\n12:30  Questions, and answers\n')
  const again = await run(['chapters', 'paste', asset, '--replace'], { input: description })
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  const late = 'A talk.\n\n0:00 Opening\nMusic\n90:00 Too late\n95:00 Later still\n'
  const rejected = await run(['chapters', 'paste', asset], { input: late })
  expect(rejected.code).toBe(2)
  expect(rejected.stderr).toMatch(/line 5[\s\S]*line 6/)
  expect(rejected.stderr.match(/line 5/g)).toHaveLength(1)
  expect(rejected.stderr).not.toContain('text:')
  const none = await run(['chapters', 'paste', asset], { input: 'no times at all' })
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('12:30 Questions') })
})

it('chapters paste opens the editor in a terminal, and asks for confirmation', async () => {
  const asset = await newVideo()
  writeFileSync(join(home, 'description.txt'), description)
  const env = {
    REELKEEP_URL: fixture.api.baseUrl,
    REELKEEP_ORGANIZATION: caller.organizationId,
    REELKEEP_TOKEN: caller.token,
    EDITOR: 'cp description.txt',
  }
  const pasting = fixture.atTerminal(['chapters', 'paste', asset], '', env)
  await expect.poll(pasting.stdout).toContain('Add 2 chapters?')
  const before = await run(['chapters', 'export', asset, '--format', 'lines'])
  expect(before).toMatchObject({ code: 0, stdout: '' })
  pasting.child.stdin?.write('y\r')
  expect((await pasting.ended()).stdout).toContain('Added 2 chapters.')
  expect(await exported(asset)).toContain('00:12:30 Questions, and answers')
})
