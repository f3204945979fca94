import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../testing/command-fixture.ts'
import { exitCodes } from '../../exit-codes.ts'
import { eventsCommand } from './events.ts'

it('events --all shows at most 100,000 events, and fails if there are more', async () => {
  const event = { type: 'folder.created', created_at: '2026-01-31T12:00:00.000Z', data: {} }
  const pageOf = (count: number) => Array.from({ length: count }, () => event)
  const pages = [pageOf(99_999), pageOf(2)]
  await using fixture = await openCommandFixture(() => {
    const results = pages.shift()
    return { body: { results, after: 1, has_more: pages.length > 0 } }
  })
  let shown = 0
  const output = { ...fixture.cli.output(), item: () => void shown++ }
  const printing = fixture.run(() => eventsCommand({ ...fixture.cli, output: () => output }), '--all')
  await expect(printing).rejects.toThrow('more than 100,000 events')
  expect(shown).toBe(100_000)
})

it.each([['--limit', '5'], ['--all']])('events --follow cannot be combined with %s', async (...end) => {
  await using fixture = await openCommandFixture(() => 'hang')
  const following = fixture.run(eventsCommand, '--follow', ...end)
  await expect(following).rejects.toMatchObject({ exitCode: exitCodes.usage })
  expect(fixture.requests).toEqual([])
})
