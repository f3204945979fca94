import { describe, expect, it } from 'vitest'
import { unboundedIn } from './bounds.ts'

const field = (schema: object) => ({
  type: 'object',
  properties: { field: schema },
  additionalProperties: false,
})

describe('unboundedIn', () => {
  it.each([
    [{ type: 'string', maxLength: 5 }],
    [{ type: 'string', format: 'uuid' }],
    [{ type: 'string', pattern: '^[a-z]{11}$' }],
    [{ enum: ['a', 'b'] }],
    [{ type: 'integer', minimum: 0, maximum: 5 }],
    [{ type: 'boolean' }],
    [{ type: 'array', maxItems: 3, items: { enum: ['a'] } }],
    [{ anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] }],
  ])('reports no error for the field schema %j', (schema) => {
    expect(unboundedIn(field(schema), 'body')).toEqual([])
  })

  it.each([
    [{ type: 'string' }],
    [{ type: 'string', pattern: '\\S' }],
    [{ type: 'string', pattern: '^a+$' }],
    [{ type: 'string', format: 'date-time' }],
    [{ type: 'integer', minimum: 0 }],
    [{ type: 'array', items: { type: 'boolean' } }],
    [{ type: 'array', maxItems: 3, items: { type: 'string' } }],
    [{ type: 'object', properties: {} }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ anyOf: [1, 2].map((maxItems) => ({ type: 'array', maxItems, items: { enum: ['a'] } })) }],
    [{}],
  ])('reports the unbounded field schema %j', (schema) => {
    expect(unboundedIn(field(schema), 'body')).toHaveLength(1)
  })
})
