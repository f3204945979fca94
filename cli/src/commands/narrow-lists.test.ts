/** Tests the output of lists in a terminal with 80 columns. */
import { expect, it } from 'vitest'
import { openCommandFixture } from '../../testing/command-fixture.ts'
import { buildProgram } from '../program.ts'
import { widthOf } from '../terminal/width.ts'

const id = '8a0d6f6e-0000-4000-8000-00000000000f'
/** A time that is rendered as a date, the longest form. */
const longAgo = '2026-01-31T12:00:00.000Z'
const title = 'A title that is far longer than what any terminal of this width has room for'
/** A row with the fields of all lists. */
const row = {
  id,
  uuid: id,
  title,
  name: title,
  label: title,
  url: `https://receiver.example/${title}`,
  viewer_id: title,
  asset_id: id,
  event_id: id,
  number: 12_345,
  type: 'upload_session.completed',
  state: 'delivered',
  attempt_count: 12,
  next_attempt_at: longAgo,
  status: 'Completed',
  language: 'pt-BR',
  origin: 'generated',
  scopes: ['assets:read', 'assets:write', 'events:read', 'folders:read'],
  types: ['asset.*', 'upload_session.completed', 'folder.created'],
  enabled: true,
  failing_since: longAgo,
  created_at: longAgo,
  expires_at: longAgo,
  last_used_at: longAgo,
  revoked_at: longAgo,
  start_time: '00:12:30',
  start_seconds: 750.04,
  bytes: 12_300_000_000,
  video: { status: 'Processing', progress: 42, duration: 36_000 },
  data: { id, title },
}

it.each([
  ['assets list', 'A title t'],
  ['sessions list', 'Completed'],
  ['tokens list', 'A title t'],
  [`access-tokens list ${id}`, 'A title t'],
  [`subtitles list ${id}`, 'pt-BR'],
  ['signing-keys list', 'A title t'],
  ['folders list', 'A title t'],
  [`chapters list ${id}`, '00:12:30.040  A title t'],
  ['webhooks list', 'https:'],
  [`webhooks deliveries ${id}`, 'delivered'],
  ['events', 'A title t'],
])('%s fits into 80 columns', async (words, expected) => {
  await using fixture = await openCommandFixture(() => ({
    body: { count: 1, next: null, has_more: false, results: [row] },
  }))
  await fixture.run(buildProgram, ...words.split(' '))
  const lines = fixture.rendered.join('\n').split('\n')
  expect(lines.at(-1)).toContain(expected)
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80)
})

it('a list that is too long to count says that there are more results', async () => {
  await using fixture = await openCommandFixture(() => ({
    body: {
      count: null,
      count_is_exact: false,
      next: 'https://fixture.example/?cursor=x',
      previous: null,
      results: [row],
    },
  }))
  await fixture.run(buildProgram, 'assets', 'list')
  expect(fixture.notes).toEqual(['There are more results. Use --all to show all.'])
})
