import { Type } from 'typebox'

/** Schema option that rejects unknown fields, so that a misspelled field is reported instead of ignored. */
export const closed = { additionalProperties: false } as const

/** A request body with an example that the reference shows and the tests send. */
export const bodyOf = <Fields extends Record<string, Type.TSchema>>(fields: Fields, example: object) =>
  Type.Object(fields, { ...closed, examples: [example] })

export const noParams = Type.Object({})
export const noQuery = Type.Object({}, closed)

/** `format: title` is custom: its rules, also the maximum length, apply to the trimmed text. */
export const titleField = Type.String({
  format: 'title',
  description:
    '1 to 255 characters. Leading and trailing whitespace and invisible formatting characters are removed; control ' +
    'characters and characters that change the direction of text are not allowed.',
})

export const timestampField = Type.String({
  description: 'Time in UTC, in ISO 8601 format with six fractional digits and the suffix `Z`.',
  examples: ['2026-11-15T09:30:00.000000Z'],
})

export const nullable = <Of extends Type.TSchema>(of: Of, description?: string) =>
  Type.Union([of, Type.Null()], description ? { description } : {})

/** Schema keyword that lists the known values of an open enum. */
export const KNOWN_VALUES = 'x-known-values'

/** An open enum: later versions may add values. The reference and the SDK list the known ones. */
export const openSet = (known: readonly string[], options: { description?: string; examples?: string[] } = {}) =>
  Type.String({ ...options, [KNOWN_VALUES]: [...known] })

/** A query parameter that is false unless given. */
export const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))

/** A search term for a list. */
export const searchText = (description: string) =>
  Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\u0000]*$', description }))

/** Request header of a change that is only made if the resource has not changed since the client read it. */
export const ifMatch = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      maxLength: 1000,
      pattern: '^(\\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$',
      description:
        'The `ETag` of the response with which you read the resource, or several, separated by commas. If the resource has changed since, the request fails with 412 and changes nothing.',
      examples: ['"nPSF4UMdX2ibJVEFHYwsYg"'],
    }),
  ),
})

/** Who created a resource. */
export const Creator = Type.Object(
  {
    kind: openSet(['token', 'system']),
    id: nullable(Type.String({ format: 'uuid' })),
    name: nullable(Type.String(), 'Null if the creator no longer exists.'),
  },
  {
    title: 'Creator',
    description:
      '`token`: created with the API token of this `id`. `system`: created by an admin command; `id` and `name` are null.',
  },
)
export type Creator = Type.Static<typeof Creator>
