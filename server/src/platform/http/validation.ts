/**
 * Checks requests against the contract's schemas and tells every fault at once, each with the field it
 * lies in and what the field must be.
 */

import type { IncomingHttpHeaders } from 'node:http'
import { type ErrorCode, events } from '@reelkeep/contract'
import { _, Ajv, type CodeKeywordDefinition, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { FAULTS_MAX, type Fault, refusedForAll } from '../../kernel/errors.ts'
import { titleFault } from '../../kernel/title.ts'
import { CURSOR_FAULT, isCursor } from '../db/keyset.ts'
import { isNetwork } from './network.ts'

const shared = { allErrors: true, useDefaults: true, strict: false, verbose: true } as const

/**
 * Ajv's own goes on to the items, each with its faults, of which a body of one mebibyte holds half a million:
 * everybody would wait while they are gathered, only to be told fifty of them. So of a list that is too long that
 * alone is told; for what is checked after this it is an empty one. The caller's list stays as it is.
 *
 * The branches of an `anyOf` share what they look at: of several lists the second would see an empty one.
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

/** A body is JSON: "5" is not 5. An address holds text only, which is read as what the schema says. */
const forBodies = new Ajv(shared)
const forAddresses = new Ajv({ ...shared, coerceTypes: true })
for (const ajv of [forBodies, forAddresses]) {
  addFormats.default(ajv)
  ajv.removeKeyword('maxItems').addKeyword(maxItems)
  ajv.addFormat('title', (text) => titleFault(text) === undefined)
  ajv.addFormat('cursor', isCursor)
  ajv.addFormat('network', isNetwork)
  ajv.addFormat('list of event types', events.areEventTypes)
}

export type Check = (value: unknown) => void

export function checkBody(schema: object): Check {
  return throwingOnFaults(forBodies.compile(schema))
}

export function checkQuery(schema: object): Check {
  return throwingOnFaults(forAddresses.compile(schema))
}

/** Answers those of a request's headers that the schema names, as what it says they are. */
export function readHeaders(schema: {
  readonly properties?: object
}): (headers: IncomingHttpHeaders) => Record<string, unknown> {
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
 * For a path: whatever cannot be an identifier names nothing, so the answer is "not found". Answers the name
 * of the first parameter of which that is so.
 */
export function finderOfStrange(schema: object): (value: unknown) => string | undefined {
  const validate = forAddresses.compile(schema)
  return (value) => {
    if (validate(value)) return undefined
    return validate.errors?.[0]?.instancePath.slice(1) ?? ''
  }
}

function throwingOnFaults(validate: ValidateFunction): Check {
  return (value) => {
    if (validate(value)) return
    const [first, ...others] = faultsOf(validate.errors ?? [])
    if (first) throw refusedForAll([first, ...others])
  }
}

/** One fault a field: of several about the same one, the first that says what to do. */
function faultsOf(errors: readonly ErrorObject[]): Fault[] {
  const byField = new Map<string, Fault>()
  for (const error of errors) {
    const field = fieldOf(error)
    const isVague = error.keyword === 'anyOf' || error.schema === 'null'
    if (byField.has(field) || isVague) continue
    byField.set(field, { ...explain(error, field || 'The body'), field })
    if (byField.size === FAULTS_MAX) break
  }
  // A field that nobody knows is often the misspelt one that is missed: it is told first.
  return [...byField.values()].sort((a, b) => rank(a) - rank(b))
}

const rank = ({ code }: Fault) => (code === 'unknown_field' ? 0 : 1)

function explain(error: ErrorObject, name: string): { code: ErrorCode; detail: string } {
  if (error.keyword === 'additionalProperties') {
    return { code: 'unknown_field', detail: `${name} ${demandOf(error)}` }
  }
  if (error.schema === 'title') {
    return { code: 'invalid_title', detail: `${name} ${titleFault(String(error.data))}` }
  }
  if (error.schema === 'cursor') return { code: 'invalid_cursor', detail: CURSOR_FAULT }
  return { code: 'invalid_request', detail: `${name} ${demandOf(error)}` }
}

/** "/chapters/1/title" becomes "chapters[1].title". */
function fieldOf({ instancePath, params }: ErrorObject): string {
  const own = params['missingProperty'] ?? params['additionalProperty']
  const parts = instancePath.split('/').slice(1)
  return (
    [...parts, ...(own === undefined ? [] : [String(own)])]
      // A name is the caller's own words, of any length; enough of it to recognise it.
      .map((part) => part.slice(0, 100))
      .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index ? `.${part}` : part))
      .join('')
  )
}

const typeNames: Record<string, string> = {
  object: 'a JSON object',
  array: 'a list',
  string: 'a text',
  integer: 'one whole number',
  number: 'a number',
  boolean: 'true or false',
}

function exampleOf(schema: ErrorObject['parentSchema']): string {
  const [example] = (schema?.['examples'] ?? []) as unknown[]
  return example === undefined ? '' : `, such as ${example}`
}

const examplesByFormat: Record<string, string> = {
  'date-time': '2027-01-31T12:00:00Z',
  'list of event types': 'asset.completed,folder.*',
  network: '192.0.2.0/24 or 2001:db8::/32',
}

function demandOf({ keyword, params, message, schema, parentSchema }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required.'
    case 'additionalProperties':
      return `is not a field of this request. It takes: ${Object.keys(parentSchema?.['properties'] ?? {}).join(', ') || 'none'}.`
    case 'pattern':
      return `does not have the form it must have${exampleOf(parentSchema)}.`
    case 'minLength':
      return params['limit'] === 1
        ? 'must not be empty.'
        : `must have at least ${params['limit']} characters.`
    case 'maxLength':
      return `must have at most ${params['limit']} characters.`
    case 'type':
      return `must be ${typeNames[String(schema)] ?? schema}.`
    case 'uniqueItems':
      return 'must not hold the same item twice.'
    case 'minItems':
      return `must have at least ${params['limit']} item(s).`
    case 'maxItems':
      return `must have at most ${params['limit']} items.`
    case 'minProperties':
      return 'must have at least one of its fields.'
    case 'minimum':
      return `must be at least ${params['limit']}.`
    case 'maximum':
      return `must be at most ${params['limit']}.`
    case 'enum':
      return `must be one of ${(schema as unknown[]).join(', ')}.`
    case 'format':
      return `must be a ${params['format']}, such as ${examplesByFormat[String(params['format'])] ?? 'the API answers it'}.`
    default:
      return `${message ?? 'is not valid'}.`
  }
}
