import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { type Given, statement } from './statement.ts'

it('binds the parameters and the organization in the order of the statement', () => {
  const query = statement((given: Given<{ limit: number }>) => sql`${given.limit} ${given.organizationId}`)
  expect(query({ limit: 3 }).values('organization' as OrganizationId)).toEqual([3, 'organization'])
})

it('throws for a property of a parameter, which would always be null', () => {
  const describe = ({ cursor }: Given<{ cursor: { readonly id: string } }>) => sql`${cursor.id}`
  expect(() => statement(describe)).toThrow('A parameter of this statement is undefined: $1')
})
