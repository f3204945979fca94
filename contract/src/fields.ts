import { Type } from 'typebox'

/** Schema option that rejects unknown fields, so that a misspelled field is reported instead of ignored. */
export const closed = { additionalProperties: false } as const

/** A request body with an example that the reference shows and the tests send. */
export const bodyOf = <Fields extends Record<string, Type.TSchema>>(fields: Fields, example: object) =>
  Type.Object(fields, { ...closed, examples: [example] })

/** The body of a PATCH request: any of the fields, at least one. */
export const changesOf = <Fields extends Record<string, Type.TSchema>>(fields: Fields, example: object) =>
  Type.Partial(Type.Object(fields), { ...closed, minProperties: 1, examples: [example] })

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

/** A query parameter that can be repeated: `?tag=a&tag=b`. */
export const several = <Item extends Type.TSchema>(item: Item, options: { maxItems: number; description: string }) =>
  Type.Optional(Type.Array(item, { minItems: 1, ...options }))

/** A time in a query. */
export const timeFilter = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', maxLength: 64, description, examples: ['2026-11-15T09:30:00Z'] }))

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

/** Text that Postgres can store, without control characters. */
const oneLine = '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$'
const severalLines = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f\\ud800-\\udfff]*$'

export const descriptionField = Type.String({
  maxLength: 5000,
  pattern: severalLines,
  description: 'At most 5,000 characters; may contain line breaks.',
})

export const legalHoldField = Type.Boolean({
  description: 'While true, every deletion is refused, also by the operator.',
})

/** Query parameter of a deletion. */
export const permanentlyFlag = flag('Purge at once instead of moving to the trash.')

export const tagField = Type.String({ minLength: 1, maxLength: 64, pattern: oneLine })

export const TAGS_MAX = 50

export const tagsField = Type.Array(tagField, {
  maxItems: TAGS_MAX,
  description:
    'At most 50 tags of 1 to 64 characters. Leading and trailing spaces are removed, and tags that differ only in ' +
    'case are the same: the first one is kept. Returned in alphabetical order.',
  examples: [['Physics', 'summer term']],
})

export const externalIdField = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: oneLine,
  description: 'Your own identifier, unique in the organization: 1 to 255 characters.',
  examples: ['course-17/lecture-1'],
})

export const METADATA_KEYS_MAX = 50

const metadataOf = <Value>(value: Type.TSchema, description: string) =>
  Type.Unsafe<Record<string, Value>>({
    type: 'object',
    maxProperties: METADATA_KEYS_MAX,
    propertyNames: { minLength: 1, maxLength: 40, pattern: oneLine },
    patternProperties: { '': value },
    description,
    examples: [{ course: '17' }],
  })
const metadataValue = Type.String({ maxLength: 500, pattern: severalLines })

/** Key-value pairs of the client. The service stores and returns them and does not interpret them. */
export const metadataField = metadataOf<string>(
  metadataValue,
  'Your own key-value pairs: at most 50 keys of 1 to 40 characters with texts of at most 500 characters.',
)
export const metadataChange = metadataOf<string | null>(
  nullable(metadataValue),
  'Keys to set, or to remove with the value null; other keys are kept. An asset or folder has at most 50.',
)

/** Metadata in responses. */
export const Metadata = Type.Record(Type.String(), Type.String(), {
  description: 'Your own key-value pairs, set when the resource was created or changed.',
})

/** The creator of a resource. */
export const Creator = Type.Object(
  {
    kind: openSet(['token', 'member', 'system']),
    id: nullable(Type.String({ format: 'uuid' })),
    name: nullable(Type.String(), 'Null if the creator no longer exists.'),
  },
  {
    title: 'Creator',
    description:
      '`token`: created with the API token of this `id`. `member`: created by the member of this `id`. `system`: created ' +
      'by an admin command; `id` and `name` are null.',
  },
)
export type Creator = Type.Static<typeof Creator>
