/**
 * Generates values that a schema allows, and values that violate it at one position. Supports the part of JSON Schema
 * that the contract uses.
 */
import fc, { type Arbitrary } from 'fast-check'

export type Schema = {
  readonly type?: string
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly examples?: readonly unknown[]
}

/** Maximum length of random strings. The longest allowed string is generated in addition to them. */
const LENGTH_MAX = 300

export const oddTexts = fc.constantFrom(
  ...['', ' ', '\0', 'a\0b', '\ud800', '\u{1f3ac}', 'é', 'e\u0301', 'ﬃ', '\u202e', '\ufeff', 'İ'],
  ...['%', '_', '\\', `'`, '"', '--', `'; drop table folders; --`, '{{7*7}}', '../../../etc/passwd'],
  ...['null', 'undefined', 'NaN', 'true', '0', '-1', '1e400', '٣', '<script>', '\r\n', '\u0085'],
)

export const oddValues = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, -1, 1.5, 1e308, -1e308, 2 ** 53, 5e-324, [], {}, [[]]),
  oddTexts,
  fc.jsonValue({ maxDepth: 3 }),
)

/**
 * Whether the text has the contract's format for titles: 1 to 255 characters after trimming, without invisible
 * characters, no control characters or direction controls.
 */
export function isTitle(text: string): boolean {
  const title = text
    .replace(/[\u00ad\u061c\u200b\u200e\u200f\ufeff]/gu, '')
    .normalize('NFC')
    .trim()
  const length = [...title].length
  return length >= 1 && length <= 255 && !/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u.test(title) && title.isWellFormed()
}

const dateTime = fc
  .record({
    day: fc.date({ min: new Date('1970-01-01'), max: new Date('2150-01-01'), noInvalidDate: true }),
    fraction: fc.constantFrom('', '.5', '.123456', '.1234567890123456789', `.${'9'.repeat(100)}`),
    zone: fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+14:00', '-23:59', '+15:59', '+16:00'),
  })
  .map(({ day, fraction, zone }) => day.toISOString().replace(/\.\d+Z$/, fraction + zone))

/** Cursors encoded like those of the API, with any number of sort values, including impossible ones. */
const cursor = fc
  .tuple(
    fc.constantFrom(0, 1),
    fc.array(fc.oneof(fc.uuid(), fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 3 }),
  )
  .map(([direction, key]) => Buffer.from(JSON.stringify([direction, ...key])).toString('base64url'))

const network = fc
  .oneof(fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })), fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })))
  // With an IPv4 address at its end, an IPv6 address may be longer than the contract allows.
  .filter(([address]) => address.length <= 39)
  .map(([address, bits]) => `${address}/${bits}`)

function textFor({ format, pattern, examples = [], minLength = 0, maxLength = LENGTH_MAX }: Schema) {
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time') return dateTime
  if (format === 'cursor') return cursor
  if (format === 'network') return network
  const form = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  const size = { minLength, maxLength: Math.min(maxLength, LENGTH_MAX) }
  const isWhole = (text: string) => {
    const length = [...text].length
    if (format === 'title') return isTitle(text)
    return length >= minLength && length <= maxLength && (form?.test(text) ?? true)
  }
  const longest = 'x'.repeat(format === 'title' ? 255 : maxLength)
  const random = [
    { weight: 3, arbitrary: fc.string({ ...size, unit: 'grapheme' }).filter(isWhole) },
    { weight: 1, arbitrary: fc.string({ ...size, unit: 'binary' }).filter(isWhole) },
    { weight: 1, arbitrary: fc.constant(longest) },
  ]
  // Some strings are generated from the pattern, because random text would hardly ever match a strict one.
  if (form) random.push({ weight: 2, arbitrary: fc.stringMatching(form).filter(isWhole) })
  // The schema's examples are included because random strings hardly ever satisfy rules beyond the pattern.
  const known = examples.map((text) => ({ weight: 2, arbitrary: fc.constant(String(text)) }))
  return fc.oneof(...(isWhole(longest) ? random : random.slice(-1)), ...known)
}

function objectFor({ properties = {}, required = [] }: Schema) {
  const model = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, validFor(schema)]))
  return fc.record(model, { requiredKeys: [...required] })
}

function listFor({ items = {}, minItems = 0, maxItems = 10, uniqueItems }: Schema) {
  const size = { minLength: minItems, maxLength: maxItems }
  return uniqueItems ? fc.uniqueArray(validFor(items), size) : fc.array(validFor(items), size)
}

export function validFor(schema: Schema): Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(validFor))
  const { type, minimum: min = -(2 ** 31), maximum: max = 2 ** 31 } = schema
  if (type === 'string') return textFor(schema)
  if (type === 'integer') return fc.integer({ min, max })
  if (type === 'boolean') return fc.boolean()
  if (type === 'array') return listFor(schema)
  if (type === 'object') return objectFor(schema)
  return fc.constant(null)
}

/** Values that violate one keyword of the schema, at the top or in a nested value. */
export function brokenFor(schema: Schema): Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(brokenFor))
  return fc.oneof(oddValues, ...breaksOf(schema))
}

function breaksOf(schema: Schema): Arbitrary<unknown>[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, items } = schema
  const breaks: Arbitrary<unknown>[] = []
  if (schema.format === 'title') breaks.push(fc.constantFrom('x'.repeat(256), 'x'.repeat(5000), ' '))
  if (minLength) breaks.push(fc.constant('x'.repeat(minLength - 1)))
  if (maxLength) breaks.push(fc.constant('x'.repeat(maxLength + 1)))
  if (minimum !== undefined) breaks.push(fc.constantFrom(minimum - 1, minimum - 0.5))
  if (maximum !== undefined) breaks.push(fc.constantFrom(maximum + 1, maximum + 0.5))
  if (minItems) breaks.push(fc.constant([]))
  if (items) breaks.push(fc.array(brokenFor(items), { minLength: 1, maxLength: 3 }))
  if (items && maxItems) {
    breaks.push(fc.array(validFor(items), { minLength: maxItems + 1, maxLength: maxItems + 3 }))
  }
  if (schema.properties) breaks.push(...objectBreaksOf(schema))
  return breaks
}

function objectBreaksOf(schema: Schema): Arbitrary<unknown>[] {
  const valid = objectFor(schema)
  const names = Object.entries(schema.properties ?? {})
  const unknownNames = fc.oneof(fc.constantFrom('titel', '__proto__', 'constructor', ''), oddTexts)
  return [
    ...names.map(([name, property]) =>
      fc.tuple(valid, brokenFor(property)).map(([object, value]) => ({ ...object, [name]: value })),
    ),
    ...names.map(([name]) => valid.map(({ [name]: _, ...rest }) => rest)),
    fc.tuple(valid, unknownNames, oddValues).map(([object, name, value]) => ({ ...object, [name]: value })),
  ]
}
