/**
 * Validates requests against the contract's schemas. All errors of a request are reported at once, each with
 * its field and what is expected.
 */

import type { IncomingHttpHeaders } from 'node:http'
import { type ErrorCode, events } from '@reelkeep/contract'
import { _, Ajv, type CodeKeywordDefinition, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { refusedForViolations, VIOLATIONS_MAX, type Violation } from '../../kernel/errors.ts'
import { lazy } from '../../kernel/lazy.ts'
import { lengthOf, titleViolation } from '../../kernel/title.ts'
import { INVALID_CURSOR, isCursor } from '../db/paging/keyset.ts'
import { isNetwork } from '../network/cidr.ts'

/** `validateSchema` is off because the keywords below do not support JSON Schema's own schema. A test does it. */
const shared = { allErrors: true, useDefaults: true, strict: false, validateSchema: false, verbose: true } as const

/**
 * Replaces Ajv's `maxItems`, which also validates the items: a 1 MiB body can have half a million invalid
 * items, and collecting their errors blocks the event loop. Here an array that is too long is validated as if it
 * were empty, so its length is the only error. The request's array is not changed.
 *
 * Limitation: all branches of an `anyOf` share the replacement, so a second array branch would validate the empty
 * array.
 */
const maxItems: CodeKeywordDefinition = {
  keyword: 'maxItems',
  type: 'array',
  schemaType: 'number',
  before: 'minItems',
  error: { params: ({ schemaCode }) => _`{limit: ${schemaCode}}`, message: 'is too long' },
  code(check) {
    const { gen, data, schemaCode } = check
    gen.if(_`${data}.length > ${schemaCode}`, () => {
      check.error()
      gen.assign(data, _`[]`)
    })
  },
}

/** Like `maxItems`: an object with too many keys is validated as if it had none. */
const maxProperties: CodeKeywordDefinition = {
  keyword: 'maxProperties',
  type: 'object',
  schemaType: 'number',
  before: 'propertyNames',
  error: { params: ({ schemaCode }) => _`{limit: ${schemaCode}}`, message: 'has too many keys' },
  code(check) {
    const { gen, data, schemaCode } = check
    gen.if(_`Object.keys(${data}).length > ${schemaCode}`, () => {
      check.error()
      gen.assign(data, _`{}`)
    })
  },
}

/**
 * Replaces Ajv's `additionalProperties`, which reports every unknown field. Here an object's check ends at the number
 * of errors that a response can have, because creating an error takes longer than parsing a field.
 */
const additionalProperties: CodeKeywordDefinition = {
  keyword: 'additionalProperties',
  type: 'object',
  schemaType: 'boolean',
  before: 'properties',
  error: {
    params: ({ params }) => _`{additionalProperty: ${params['additionalProperty']}}`,
    message: 'has an unknown field',
  },
  code(check) {
    const { gen, data, schema, parentSchema } = check
    if (schema) return
    const known = Object.keys(parentSchema['properties'] ?? {})
    gen.forIn('key', data, (key) => {
      const isUnknown = known.map((name) => _`${key} !== ${name}`).reduce((all, one) => _`${all} && ${one}`, _`true`)
      gen.if(isUnknown, () => {
        check.setParams({ additionalProperty: key })
        check.error()
        gen.if(_`errors >= ${VIOLATIONS_MAX}`, () => gen.break())
      })
    })
  },
}

/**
 * Replaces Ajv's `maxLength`, which counts the characters of every text. Here the characters are counted only if the
 * text has more UTF-16 code units than the limit, because it cannot have more characters than code units.
 */
const maxLength: CodeKeywordDefinition = {
  keyword: 'maxLength',
  type: 'string',
  schemaType: 'number',
  error: { params: ({ schemaCode }) => _`{limit: ${schemaCode}}`, message: 'is too long' },
  code(check) {
    const { gen, data, schemaCode } = check
    const length = gen.scopeValue('func', { ref: lengthOf, code: _`lengthOf` })
    check.fail(_`${data}.length > ${schemaCode} && ${length}(${data}) > ${schemaCode}`)
  },
}

const ajv = new Ajv(shared)
addFormats.default(ajv)
for (const keyword of [maxItems, maxLength, maxProperties, additionalProperties]) {
  ajv.removeKeyword(String(keyword.keyword)).addKeyword(keyword)
}
ajv.addFormat('title', (text) => titleViolation(text) === undefined)
ajv.addFormat('cursor', isCursor)
ajv.addFormat('network', isNetwork)
ajv.addFormat('list of event types', events.areEventTypes)

export type Check = (value: unknown) => void

export function checkBody(schema: object): Check {
  return throwOnViolations(() => ajv.compile(schema), 'field')
}

export function checkQuery(schema: ParameterSchema): Check {
  const convert = converterFor(schema)
  const check = throwOnViolations(() => ajv.compile(schema), 'query parameter')
  return (value) => {
    convert(value as Parameters)
    check(value)
  }
}

type ParameterSchema = { readonly properties?: object }
type Parameters = Record<string, unknown>

/**
 * How the text of a path or query parameter or of a header is converted to the schema's type. Other notations of
 * numbers, such as `0x10` or `1e1`, stay text and are refused.
 */
const conversions: Record<string, { readonly form: RegExp; readonly convert: (text: string) => unknown }> = {
  integer: { form: /^-?\d+$/, convert: Number },
  number: { form: /^-?\d+(\.\d+)?$/, convert: Number },
  boolean: { form: /^(true|false)$/, convert: (text) => text === 'true' },
  // A parameter that can be repeated, but is given once.
  array: { form: /^/, convert: (text) => [text] },
}

/** Returns a function that converts the parameters in place. */
function converterFor({ properties = {} }: ParameterSchema): (parameters: Parameters) => void {
  const typed = Object.entries(properties as Record<string, { type?: string }>).flatMap(([name, { type = '' }]) => {
    const conversion = conversions[type]
    return conversion ? [{ name, ...conversion }] : []
  })
  return (parameters) => {
    for (const { name, form, convert } of typed) {
      const text = parameters[name]
      if (typeof text === 'string' && form.test(text)) parameters[name] = convert(text)
    }
  }
}

/** Returns a function that reads the headers named in the schema, converted to their types. */
export function readHeaders(schema: ParameterSchema): (headers: IncomingHttpHeaders) => Record<string, unknown> {
  const names = Object.keys(schema.properties ?? {})
  const check = checkQuery(schema)
  return (headers) => {
    const given = names
      .map((name) => [name, headers[name.toLowerCase()]] as const)
      .filter(([, value]) => value !== undefined)
    const read: Record<string, unknown> = Object.fromEntries(given)
    check(read)
    return read
  }
}

/**
 * Returns a function that finds the first invalid path parameter. A malformed identifier is reported as "not
 * found", like one that does not exist.
 */
export function invalidParameterFinder(schema: ParameterSchema): (value: unknown) => string | undefined {
  const convert = converterFor(schema)
  const compiled = lazy(() => ajv.compile(schema))
  return (value) => {
    convert(value as Parameters)
    const validate = compiled()
    if (validate(value)) return undefined
    return validate.errors?.[0]?.instancePath.slice(1) ?? ''
  }
}

type InputKind = 'field' | 'query parameter'

// Schemas are compiled when they are first used: compiling those of all operations would take a quarter of the CPU time
// that the API needs to start.
function throwOnViolations(compile: () => ValidateFunction, kind: InputKind): Check {
  const compiled = lazy(compile)
  return (value) => {
    const validate = compiled()
    if (validate(value)) return
    const [first, ...others] = violationsOf(validate.errors ?? [], kind)
    if (first) throw refusedForViolations([first, ...others])
  }
}

/** Returns one violation per field: the first error that states what is expected. */
function violationsOf(errors: readonly ErrorObject[], kind: InputKind): Violation[] {
  const byField = new Map<string, Violation>()
  for (const error of errors) {
    const field = fieldOf(error)
    // The error of a key is followed by one that names the key.
    const isVague =
      ['anyOf', 'if'].includes(error.keyword) || error.schema === 'null' || error.propertyName !== undefined
    if (byField.has(field) || isVague) continue
    byField.set(field, { ...explain(error, field, kind), field })
    if (byField.size === VIOLATIONS_MAX) break
  }
  // Unknown fields come first: a typo often explains why a required field is missing.
  return [...byField.values()].sort((a, b) => rank(a) - rank(b))
}

const rank = ({ code }: Violation) => (code === 'unknown_field' ? 0 : 1)

function explain(error: ErrorObject, field: string, kind: InputKind): { code: ErrorCode; detail: string } {
  const name = field ? `\`${field}\`` : 'The request body'
  if (error.keyword === 'additionalProperties') {
    return { code: 'unknown_field', detail: `${name} ${unknownName(error, kind)}` }
  }
  if (error.schema === 'cursor') return { code: 'invalid_cursor', detail: INVALID_CURSOR }
  const violation = isTitle(error) && titleViolation(String(error.data))
  if (violation) return { code: 'invalid_title', detail: `${name} ${violation}` }
  return { code: 'invalid_request', detail: `${name} ${expectationOf(error, kind)}` }
}

const isTitle = ({ data, parentSchema }: ErrorObject) =>
  typeof data === 'string' && parentSchema?.['format'] === 'title'

function unknownName({ parentSchema }: ErrorObject, kind: InputKind): string {
  const supported = Object.keys(parentSchema?.['properties'] ?? {})
  const list = supported.length > 0 ? supported.join(', ') : 'none'
  return `is not a supported ${kind}. Supported ${kind}s: ${list}.`
}

/** "/chapters/1/title" becomes "chapters[1].title". */
function fieldOf({ instancePath, params }: ErrorObject): string {
  const own = params['missingProperty'] ?? params['additionalProperty']
  const parts = instancePath.split('/').slice(1)
  return (
    [...parts, ...(own === undefined ? [] : [String(own)])]
      // The field name comes from the client and may have any length.
      .map((part) => part.slice(0, 100))
      .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index ? `.${part}` : part))
      .join('')
  )
}

const typeNames: Record<string, string> = {
  object: 'a JSON object',
  array: 'an array',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
}

function patternExpectation(schema: ErrorObject['parentSchema']): string {
  const [example] = (schema?.['examples'] ?? []) as unknown[]
  // A pattern has no example for the error message if it only excludes characters.
  return example === undefined
    ? 'must not contain control characters or invalid Unicode.'
    : `must be formatted like ${example}.`
}

type KeySchema = { readonly minLength?: number; readonly maxLength?: number }

const keyRule = ({ minLength = 0, maxLength }: KeySchema) =>
  `Keys have ${minLength} to ${maxLength} characters and no control characters.`

function formatExpectation(format: string, data: unknown): string {
  switch (format) {
    case 'uuid':
      return 'must be a UUID.'
    case 'date-time':
      return 'must be a date and time with a time zone, for example 2027-01-31T12:00:00Z.'
    case 'network':
      return 'must be a network in CIDR notation, for example 192.0.2.0/24 or 2001:db8::/32.'
    case 'list of event types':
      return `must be a comma-separated list of event types, for example asset.completed,folder.*. Unknown: ${unknownTypes(String(data))}.`
    default:
      return `must be a valid ${format}.`
  }
}

const unknownTypes = (text: string) =>
  text
    .split(',')
    .filter((type) => !events.areEventTypes(type))
    .map((type) => JSON.stringify(type))
    .join(', ')

function expectationOf(error: ErrorObject, kind: InputKind): string {
  const { keyword, params, message, schema, parentSchema, data } = error
  const limit = Number(params['limit'])
  switch (keyword) {
    case 'required':
      return 'is required.'
    case 'pattern':
      return patternExpectation(parentSchema)
    case 'minLength':
      return limit === 1
        ? 'must not be empty.'
        : `must be at least ${limit} characters (got ${lengthOf(String(data))}).`
    case 'maxLength':
      return `must be at most ${limit} characters (got ${lengthOf(String(data))}).`
    case 'type':
      return kind === 'query parameter' && Array.isArray(data)
        ? 'must be given only once.'
        : `must be ${typeNames[String(schema)] ?? schema}.`
    case 'uniqueItems':
      return 'must not contain duplicates.'
    case 'minItems':
      return limit === 1 ? 'must not be empty.' : `must have at least ${limit} items.`
    case 'maxItems':
      return `must have at most ${limit} items (got ${(data as unknown[]).length}).`
    case 'maxProperties':
      return `must have at most ${limit} keys (got ${Object.keys(data as object).length}).`
    case 'propertyNames':
      return `has an invalid key: ${JSON.stringify(String(params['propertyName']).slice(0, 100))}. ${keyRule(schema as KeySchema)}`
    case 'minProperties':
      return `must have at least one of these fields: ${Object.keys(parentSchema?.['properties'] ?? {}).join(', ')}.`
    case 'minimum':
      return `must be at least ${limit}.`
    case 'maximum':
      return `must be at most ${limit}.`
    case 'enum':
      return `must be one of: ${(schema as unknown[]).join(', ')}.`
    case 'format':
      return formatExpectation(String(params['format']), data)
    default:
      return `${message ?? 'is invalid'}.`
  }
}
