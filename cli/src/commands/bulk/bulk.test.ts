import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../testing/command-fixture.ts'
import { buildProgram } from '../../program.ts'

const operation = {
  id: 'operation-1',
  action: 'add_tags',
  status: 'Completed',
  progress: { total: 3, done: 2, failed: 1 },
  error: null,
  errors: [{ asset_id: 'asset-1', code: 'legal_hold', detail: 'The asset is under legal hold. Lift the hold first.' }],
  finished_at: '2026-11-18T00:00:00.000000Z',
}
const preview = { dry_run: true, action: 'delete', count: 12, sample: [{ id: 'asset-1', title: 'Part 1' }] }

const openFixture = (body: object) => openCommandFixture(() => ({ body }))

it('bulk add-tags selects assets by filter, waits and prints the errors', async () => {
  await using fixture = await openFixture(operation)
  const filter = ['--status', 'Completed', '--tag', 'a', '--query', 'part', '--except', 'asset-2']
  await fixture.run(buildProgram, 'bulk', 'add-tags', 'x', 'y', ...filter, '--yes')
  expect(fixture.bodies).toEqual([
    {
      action: 'add_tags',
      tags: ['x', 'y'],
      filter: { status: ['Completed'], tag: ['a'], q: 'part' },
      except_ids: ['asset-2'],
    },
  ])
  expect(fixture.requests).toEqual(['POST bulk-operations/', 'GET bulk-operations/operation-1/'])
  expect(fixture.rendered[0]).toContain('100 % (2 of 3 assets, 1 failed)')
  expect(fixture.rendered[0]).toContain('The asset is under legal hold.')
})

it('bulk retry with --id sends exactly these ids, and does not wait with --no-wait', async () => {
  await using fixture = await openFixture(operation)
  await fixture.run(buildProgram, 'bulk', 'retry', '--id', 'asset-1', '--id', 'asset-2', '--yes', '--no-wait')
  expect(fixture.bodies).toEqual([{ action: 'retry', ids: ['asset-1', 'asset-2'] }])
  expect(fixture.requests).toHaveLength(1)
})

it('bulk set-metadata removes a key with an empty value', async () => {
  await using fixture = await openFixture(operation)
  await fixture.run(buildProgram, 'bulk', 'set-metadata', 'a=1', 'b=', '--all', '--yes', '--no-wait')
  expect(fixture.bodies).toEqual([{ action: 'set_metadata', metadata: { a: '1', b: null }, filter: {} }])
})

it('bulk delete --dry-run prints the number of assets and a sample', async () => {
  await using fixture = await openFixture(preview)
  await fixture.run(buildProgram, 'bulk', 'delete', '--all', '--dry-run')
  expect(fixture.bodies).toEqual([{ action: 'delete', filter: {}, dry_run: true }])
  expect(fixture.rendered[0]).toContain('12 assets selected. The newest:')
  expect(fixture.rendered[0]).toContain('Part 1')
})

it('bulk delete requires a selection, and --yes without a terminal', async () => {
  await using fixture = await openFixture(preview)
  await expect(fixture.run(buildProgram, 'bulk', 'delete', '--yes')).rejects.toMatchObject({ exitCode: 2 })
  expect(fixture.requests).toEqual([])
  await expect(fixture.run(buildProgram, 'bulk', 'delete', '--all')).rejects.toMatchObject({
    next: 'To confirm, use --yes.',
  })
  expect(fixture.bodies).toEqual([{ action: 'delete', filter: {}, dry_run: true }])
})
