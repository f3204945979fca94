import { Type } from 'typebox'

/** A body with no field but these: a misspelt one is refused by name instead of being lost. */
export const closed = { additionalProperties: false } as const

/** A body, and one that works: the reference shows it and the tests send it. */
export const bodyOf = <Fields extends Record<string, Type.TSchema>>(
  fields: Fields,
  example: object,
) => Type.Object(fields, { ...closed, examples: [example] })

export const noParams = Type.Object({})
export const noQuery = Type.Object({}, closed)

/** `format: title` is ours: what counts is the text after trimming. */
export const titleField = Type.String({
  format: 'title',
  maxLength: 1024,
  description: '1 to 255 characters after trimming, none of them a control character.',
})

export const timestampField = Type.String({
  description: 'UTC, ISO 8601, microseconds, trailing Z.',
  examples: ['2026-11-15T09:30:00.000000Z'],
})

export const nullable = <Of extends Type.TSchema>(of: Of, description?: string) =>
  Type.Union([of, Type.Null()], description ? { description } : {})

/** Where a schema keeps the values that are known of an open set. */
export const KNOWN_VALUES = 'x-known-values'

/** One of these values, or of those that later versions add: the reference and the SDK tell which there are now. */
export const openSet = (
  known: readonly string[],
  options: { description?: string; examples?: string[] } = {},
) => Type.String({ ...options, [KNOWN_VALUES]: [...known] })

/** The text a list is searched for. */
export const searchText = (description: string) =>
  Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\u0000]*$', description }))
