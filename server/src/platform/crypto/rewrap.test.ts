import pg from 'pg'
import { expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { rewrapEach } from './rewrap.ts'

type Row = { organizationId: OrganizationId; number: number; isSuspended: boolean }

const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, number) => ({
    ...{ organizationId: `acme${number}` as OrganizationId, number, isSuspended: number % 2 === 0 },
  }))

/** Simulates a table: rows of suspended organizations stay in it. */
const tableOf = (all: readonly Row[]) => async (after: Row | undefined, limit: number) =>
  all.filter(({ number }) => number > (after?.number ?? -1)).slice(0, limit)

it('rewrapEach continues past a whole page of suspended organizations', async () => {
  const done: number[] = []
  const all = rows(2000)
  const { rewrapped, suspended } = await rewrapEach(tableOf(all), async ({ number }) => {
    done.push(number)
  })
  expect([rewrapped, suspended.size]).toEqual([1000, 1000])
  expect(done).toEqual(all.filter(({ isSuspended }) => !isSuspended).map(({ number }) => number))
})

it('rewrapEach skips an organization that is suspended during the run, and fails on any other error', async () => {
  const fail = (code: string) => async () => {
    const error = new pg.DatabaseError('no', 2, 'error')
    throw Object.assign(error, { code })
  }
  const { rewrapped, suspended } = await rewrapEach(tableOf(rows(2)), fail('RK001'))
  expect([rewrapped, [...suspended]]).toEqual([0, ['acme0', 'acme1']])
  await expect(rewrapEach(tableOf(rows(2)), fail('57014'))).rejects.toThrow('no')
})
