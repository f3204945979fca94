/** Tests the commands of the audit log, and the SDK below them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newMember, Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { type AuditEntry, Reelkeep } from 'reelkeep'
import { beforeAll, expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'

const fixture = await opened(CliFixture.open())
const superuser = await opened(Superuser.open())
const { run, json, caller } = fixture
const file = join(fixture.home, 'audit.ndjson')

let memberId: string
beforeAll(async () => {
  for (const title of ['one', 'two', 'three']) await caller.post('assets/folders/', { title })
  const member = await newMember(superuser, caller, { role: 'viewer', scopes: ['assets:read'] })
  memberId = member.id
  await member.caller.post('assets/folders/', { title: 'four' })
})

const numbersOf = (entries: readonly AuditEntry[]) => entries.map(({ number }) => number)

it('audit list prints the newest entries first, filtered', async () => {
  const { stdout } = await run(['audit', 'list', '--limit', '2'])
  expect(stdout).toMatch(/4 .+ Ada +createFolder .+ insufficient_scope.*3 .+ Test +createFolder .+ success/s)
  const refused = await json<AuditEntry[]>(['audit', 'list', '--outcome', 'refused'])
  expect(refused).toMatchObject([{ number: 4, actor: { kind: 'member', id: memberId, name: 'Ada' } }])
  expect(numbersOf(await json(['audit', 'list', '--actor', memberId]))).toEqual([4])
  expect(numbersOf(await json(['audit', 'list', '--action', 'createFolder', '--to', '2020-01-01']))).toEqual([])
})

it('audit export writes every entry, and audit verify accepts the file and the head', async () => {
  expect(await json(['audit', 'export', file])).toEqual({ file, entries: 4 })
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  expect(numbersOf(lines.map((line) => JSON.parse(line) as AuditEntry))).toEqual([1, 2, 3, 4])
  // The export itself is the next entry.
  const head = await json<{ number: number; hash: string }>(['audit', 'head'])
  expect(head.number).toBe(5)
  const last = JSON.parse(lines.at(-1) ?? '') as AuditEntry
  const verified = await json(['audit', 'verify', file, '--head', `4:${last.hash}`])
  expect(verified).toEqual({ entries: 4, first: 1, last: { number: 4, hash: last.hash } })
  const newer = await run(['audit', 'verify', file, '--head', `${head.number}:${head.hash}`])
  expect(newer.stderr).toContain('does not contain entry 5')
  expect(newer.code).toBe(7)
})

it.each<[string, (lines: string[]) => readonly string[], string]>([
  ['was changed', ([a = '', b = '', ...rest]) => [a, b.replace('createFolder', 'createToken'), ...rest], 'Entry 2 was'],
  ['is missing', ([a = '', , ...rest]) => [a, ...rest], 'Entry 2 is missing'],
  ['is in another place', ([a = '', b = '', ...rest]) => [b, a, ...rest], 'Entry 3 is missing'],
  ['is not JSON', (lines) => [...lines, 'x'], 'not JSON'],
  ['is not an entry', (lines) => [...lines, 'null'], 'is not an entry of'],
  ['does not exist', () => [], 'no entries'],
])('audit verify reports an entry that %s', async (_, change, message) => {
  await run(['audit', 'export', file])
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const changed = `${file}.changed`
  writeFileSync(
    changed,
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  )
  const { code, stderr } = await run(['audit', 'verify', changed])
  expect(stderr).toContain(message)
  expect(code).toBe(7)
})

it('the SDK lists entries over pages, exports a range and reads the head', async () => {
  const { organizationId: organization, token } = caller
  const client = new Reelkeep({ url: fixture.api.baseUrl, organization, token })
  const listed: number[] = []
  for await (const { number } of client.audit.list({ limit: 2, action: 'createFolder' })) listed.push(number)
  expect(listed).toEqual([4, 3, 2, 1])
  const exported = await Array.fromAsync(client.audit.export({ after: 2 }))
  expect(numbersOf(exported.slice(0, 2))).toEqual([3, 4])
  expect((await client.audit.readHead()).number).toBeGreaterThan(exported.at(-1)?.number ?? 0)
})
