/** The part of JSON Schema that the contract uses for requests. */
type Schema = {
  readonly type?: string
  readonly properties?: Record<string, Schema>
  readonly additionalProperties?: unknown
  /** The values of an object with any keys. */
  readonly patternProperties?: Record<string, Schema>
  readonly propertyNames?: Schema
  readonly maxProperties?: number
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly maxLength?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** String formats with a maximum length. A date-time has none: it may have any number of decimals. */
const boundedFormats = ['uuid', 'title']

/** Whether the pattern is anchored at both ends and has no unbounded quantifier. */
const isBoundedPattern = (pattern: string) => /^\^.*\$$/.test(pattern) && !/[*+]|,\}/.test(pattern)

function isBoundedText({ maxLength, format, pattern }: Schema): boolean {
  if (maxLength !== undefined) return true
  if (format !== undefined) return boundedFormats.includes(format)
  return pattern !== undefined && isBoundedPattern(pattern)
}

const isBoundedNumber = ({ minimum, maximum }: Schema) => minimum !== undefined && maximum !== undefined

type Finder = (schema: Schema, where: string, isOpen: boolean) => string[]

const findersByType: Record<string, Finder> = {
  null: () => [],
  boolean: () => [],
  string: (schema, where) => (isBoundedText(schema) ? [] : [`${where}: text without a maximum length`]),
  integer: (schema, where) => (isBoundedNumber(schema) ? [] : [`${where}: number without a limit`]),
  number: (schema, where) => (isBoundedNumber(schema) ? [] : [`${where}: number without a limit`]),
  array: ({ maxItems, items = {} }, where) => [
    ...(maxItems === undefined ? [`${where}: list without a maximum length`] : []),
    ...unboundedIn(items, `${where}[]`),
  ],
  object: (schema, where, isOpen) =>
    schema.patternProperties ? anyKeys(schema, where, false) : fieldsOf(schema, where, isOpen),
}

const fieldsOf: Finder = ({ properties = {}, additionalProperties }, where, isOpen) => [
  ...(isOpen || additionalProperties === false ? [] : [`${where}: unknown fields`]),
  ...Object.entries(properties).flatMap(([name, schema]) => unboundedIn(schema, `${where}.${name}`)),
]

const anyKeys: Finder = ({ patternProperties = {}, propertyNames = {}, maxProperties }, where) => [
  ...(maxProperties === undefined ? [`${where}: any number of keys`] : []),
  ...unboundedIn({ type: 'string', ...propertyNames }, `${where}, key`),
  ...Object.values(patternProperties).flatMap((schema) => unboundedIn(schema, `${where}.*`)),
]

/**
 * Finds unbounded parts of a request: text, lists or numbers without a maximum, and objects that accept unknown
 * fields (unless `isOpen`).
 */
export function unboundedIn(schema: Schema, where: string, { isOpen = false } = {}): string[] {
  if (schema.enum || schema.const !== undefined) return []
  if (schema.anyOf) {
    const lists = schema.anyOf.filter(({ type }) => type === 'array')
    return [
      // If `anyOf` has two lists, the validator would pass a list that is too long for the first one to the second one
      // as an empty list (platform/http/validation.ts).
      ...(lists.length > 1 ? [`${where}: one of several lists`] : []),
      ...schema.anyOf.flatMap((part) => unboundedIn(part, where)),
    ]
  }
  const find = findersByType[schema.type ?? '']
  return find ? find(schema, where, isOpen) : [`${where}: anything`]
}
