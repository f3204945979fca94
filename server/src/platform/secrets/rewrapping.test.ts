import pg from 'pg'
import { expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { rewrapEach } from './rewrapping.ts'

type Row = { organizationId: OrganizationId; number: number; isHeld: boolean }

const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, number) => ({
    ...{ organizationId: `acme${number}` as OrganizationId, number, isHeld: number % 2 === 0 },
  }))

/** As a table has it: those that are held stay. */
const tableOf = (all: readonly Row[]) => async (after: Row | undefined, limit: number) =>
  all.filter(({ number }) => number > (after?.number ?? -1)).slice(0, limit)

it('goes on past more that are held than are read at a time', async () => {
  const done: number[] = []
  const all = rows(2000)
  const { rewrapped, held } = await rewrapEach(tableOf(all), async ({ number }) => {
    done.push(number)
  })
  expect([rewrapped, held.size]).toEqual([1000, 1000])
  expect(done).toEqual(all.filter(({ isHeld }) => !isHeld).map(({ number }) => number))
})

it('passes over one that is held in the middle of it, and is ended by any other fault', async () => {
  const fail = (code: string) => async () => {
    const error = new pg.DatabaseError('no', 2, 'error')
    throw Object.assign(error, { code })
  }
  const { rewrapped, held } = await rewrapEach(tableOf(rows(2)), fail('RK001'))
  expect([rewrapped, [...held]]).toEqual([0, ['acme0', 'acme1']])
  await expect(rewrapEach(tableOf(rows(2)), fail('57014'))).rejects.toThrow('no')
})
