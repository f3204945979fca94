import { expect, it } from 'vitest'
import { openCommandStand } from '../../../testing/command-stand.ts'
import { exitCodes } from '../../exit-codes.ts'
import { eventsCommand } from './events.ts'

it('shows 100,000 events at most, and fails if there are more', async () => {
  const event = { type: 'folder.created', created_at: '2026-01-31T12:00:00.000Z', data: {} }
  const pageOf = (count: number) => Array.from({ length: count }, () => event)
  const pages = [pageOf(99_999), pageOf(2)]
  await using stand = await openCommandStand(() => {
    const results = pages.shift()
    return { body: { results, after: 1, has_more: pages.length > 0 } }
  })
  let shown = 0
  const output = { ...stand.cli.output(), item: () => void shown++ }
  const printing = stand.run(() => eventsCommand({ ...stand.cli, output: () => output }), '--all')
  await expect(printing).rejects.toThrow('more than 100,000 events')
  expect(shown).toBe(100_000)
})

it.each([['--limit', '5'], ['--all']])(
  'refuses to follow with an end to it: %s',
  async (...end) => {
    await using stand = await openCommandStand(() => 'silence')
    const following = stand.run(eventsCommand, '--follow', ...end)
    await expect(following).rejects.toMatchObject({ exitCode: exitCodes.usage })
    expect(stand.heard).toEqual([])
  },
)
