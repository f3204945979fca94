import { type AnyOperation, chapters, operations, tokens, uploadSessions } from '@reelkeep/contract'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import fastJsonStringify, { type Schema } from 'fast-json-stringify'
import { describe, expect, it } from 'vitest'
import { DomainError, type Violation } from '../../kernel/errors.ts'
import { checkBody, checkQuery, invalidParameterFinder, readHeaders } from './validation.ts'

const object = (properties: Record<string, object>, ...required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const chapter = object(
  { title: { type: 'string', minLength: 1, maxLength: 5 }, start: { type: 'integer', minimum: 0 } },
  'title',
  'start',
)
const body = checkBody(
  object(
    {
      name: { type: 'string', pattern: '^[^\\u0000]*$' },
      kind: { enum: ['video', 'audio'] },
      until: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
      chapters: { type: 'array', items: chapter, maxItems: 100 },
      copies: { type: 'integer', default: 1 },
    },
    'name',
  ),
)
const query = checkQuery(
  object({
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    recursive: { type: 'boolean' },
    q: { type: 'string' },
  }),
)

function violationsOf(check: (value: unknown) => void, value: unknown): readonly Violation[] {
  try {
    check(value)
    return []
  } catch (error) {
    if (error instanceof DomainError) return error.violations
    throw error
  }
}

/** An array that counts how often its items are read. */
function countingVisits(item: unknown, length: number) {
  let count = 0
  const list = new Proxy(Array(length).fill(item), {
    get(items, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) count++
      return Reflect.get(items, key)
    },
  })
  return { list, visits: () => count }
}

/** An object with unknown fields that counts how many of them are visited. */
function countingFields(length: number) {
  const visited = new Set<string | symbol>()
  const given = Object.fromEntries(Array.from({ length }, (_, index) => [`unknown${index}`, 1]))
  const object = new Proxy(given, {
    getOwnPropertyDescriptor(target, key) {
      visited.add(key)
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
  })
  return { object, visits: () => visited.size }
}

const fieldsOf = (value: unknown) => violationsOf(body, value).map(({ field }) => field)
const detailOf = (value: unknown) => violationsOf(body, value).map(({ detail }) => detail)

describe('checkBody', () => {
  it('accepts a valid body and fills in defaults', () => {
    const given = { name: 'x', until: null, chapters: [{ title: 'a', start: 0 }] }
    expect(fieldsOf(given)).toEqual([])
    expect(given).toMatchObject({ copies: 1 })
  })

  it('reports all errors at once, each with its field', () => {
    const violations = violationsOf(body, {
      kind: 'text',
      chapters: [{ title: '', start: 0 }, { title: 'longer', start: -1 }, { colour: 'red' }],
      copies: 1.5,
      nmae: 'x',
    })
    expect(violations.map(({ field, code }) => [field, code]).sort()).toEqual([
      ['chapters[0].title', 'invalid_request'],
      ['chapters[1].start', 'invalid_request'],
      ['chapters[1].title', 'invalid_request'],
      ['chapters[2].colour', 'unknown_field'],
      ['chapters[2].start', 'invalid_request'],
      ['chapters[2].title', 'invalid_request'],
      ['copies', 'invalid_request'],
      ['kind', 'invalid_request'],
      ['name', 'invalid_request'],
      ['nmae', 'unknown_field'],
    ])
  })

  it('reports one error per field', () => {
    expect(fieldsOf({ name: 'x', until: 'soon' })).toEqual(['until'])
    expect(fieldsOf({ name: 'x', until: 7 })).toEqual(['until'])
  })

  it('reports at most 50 errors', () => {
    const chapters = Array.from({ length: 90 }, () => ({ title: '', start: 0 }))
    expect(fieldsOf({ name: 'x', chapters })).toHaveLength(50)
  })

  it('counts characters, not UTF-16 code units', () => {
    expect(fieldsOf({ name: 'x', chapters: [{ title: '🎬'.repeat(5), start: 0 }] })).toEqual([])
    expect(detailOf({ name: 'x', chapters: [{ title: '🎬'.repeat(6), start: 0 }] })).toEqual([
      '`chapters[0].title` must be at most 5 characters (got 6).',
    ])
  })

  it('stops at the fiftieth unknown field', () => {
    const { object, visits } = countingFields(100_000)
    expect(fieldsOf(object)).toHaveLength(50)
    expect(visits()).toBeLessThan(100)
  })

  it('stops at the first unknown field of further objects', () => {
    const items = Array.from({ length: 100 }, () => countingFields(60))
    expect(fieldsOf({ name: 'x', chapters: items.map(({ object }) => object) })).toHaveLength(50)
    expect(Math.max(...items.slice(1).map(({ visits }) => visits()))).toBeLessThan(5)
  })

  it.each([
    [{}, '`name` is required.'],
    [{ name: '\u0000' }, '`name` must not contain control characters or invalid Unicode.'],
    [{ name: 'x', kind: 'text' }, '`kind` must be one of: video, audio.'],
    [
      { name: 'x', until: 'soon' },
      '`until` must be a date and time with a time zone, for example 2027-01-31T12:00:00Z.',
    ],
    [{ name: 'x', chapters: [{ title: '', start: 0 }] }, '`chapters[0].title` must not be empty.'],
    [
      { name: 'x', chapters: [{ title: 'longer', start: 0 }] },
      '`chapters[0].title` must be at most 5 characters (got 6).',
    ],
    [{ name: 'x', copies: 'two' }, '`copies` must be an integer.'],
    [{ name: 'x', nmae: 1 }, '`nmae` is not a supported field. Supported fields: name, kind, until, chapters, copies.'],
    [[], 'The request body must be a JSON object.'],
    ['text', 'The request body must be a JSON object.'],
  ])('states what is expected instead of %j', (given, detail) => {
    expect(detailOf(given)).toEqual([detail])
  })

  it('does not convert types in a body', () => {
    expect(fieldsOf({ name: 'x', copies: '5' })).toEqual(['copies'])
    expect(fieldsOf({ name: 5 })).toEqual(['name'])
  })

  it.each([
    ['numbers', (index: number) => index],
    ['strings', (index: number) => `scope ${index}`],
    ['arrays', (index: number) => [index]],
  ])('validates an array of %s in linear time', (_, itemOf) => {
    const check = checkBody(tokens.createToken.body)
    // The largest body has five times as many items; quadratic time would block the process for a minute.
    const scopes = Array.from({ length: 30_000 }, (_, index) => itemOf(index))
    const before = process.cpuUsage()
    expect(violationsOf(check, { name: 'x', scopes })).not.toEqual([])
    expect(process.cpuUsage(before).user).toBeLessThan(1e6)
  })

  it.each([
    ['createUploadSession.resolutions', uploadSessions.createUploadSession, { title: 'x' }, {}],
    ['addChapters.chapters', chapters.addChapters, {}, 0],
    ['replaceChapters.chapters', chapters.replaceChapters, {}, {}],
    ['createToken.scopes', tokens.createToken, { name: 'x' }, 0],
  ])('reports only the length of an array that is too long: %s', (name, operation, rest, item) => {
    const [, field = ''] = name.split('.')
    const { list, visits } = countingVisits(item, 2000)
    const violations = violationsOf(checkBody(operation.body), { ...rest, [field]: list })
    expect(violations).toMatchObject([{ field, code: 'invalid_request' }])
    expect(violations[0]?.detail).toMatch(/^`\w+` must have at most \d+ items \(got 2000\)\.$/)
    expect(visits()).toBe(0)
    expect(list).toHaveLength(2000)
  })

  it('reports the other errors of a body with an array that is too long', () => {
    const chapters = Array.from({ length: 101 }, () => ({ title: '', start: 0 }))
    expect(fieldsOf({ copies: 'two', chapters }).sort()).toEqual(['chapters', 'copies', 'name'])
  })
})

describe('checkQuery', () => {
  it('converts text to the types of the schema', () => {
    const given = { limit: '10', recursive: 'true', q: '5' }
    expect(violationsOf(query, given)).toEqual([])
    expect(given).toEqual({ limit: 10, recursive: true, q: '5' })
  })

  it.each([{ limit: 'ten' }, { limit: '' }, { limit: ['1', '2'] }, { recursive: 'yes' }])('rejects %j', (given) => {
    const [field] = Object.keys(given)
    expect(violationsOf(query, { ...given })).toMatchObject([{ field, code: 'invalid_request' }])
  })

  it.each(['0x10', '1e1', ' 5', '5 ', '+5', '5.0', '٥', '1_0', 'Infinity'])(
    'rejects an integer that is not written in decimal digits: %j',
    (limit) => {
      expect(violationsOf(query, { limit })).toMatchObject([{ field: 'limit', detail: '`limit` must be an integer.' }])
    },
  )

  it('rejects an unknown parameter and lists the supported ones', () => {
    expect(violationsOf(query, { recursiv: 'true' })).toMatchObject([
      {
        field: 'recursiv',
        detail: '`recursiv` is not a supported query parameter. Supported query parameters: limit, recursive, q.',
      },
    ])
  })

  it('reports a parameter that is given twice', () => {
    expect(violationsOf(query, { q: ['a', 'b'] })).toMatchObject([
      { field: 'q', detail: '`q` must be given only once.' },
    ])
  })

  it('names the unknown types in a list of event types', () => {
    const check = checkQuery(object({ types: { type: 'string', format: 'list of event types' } }))
    expect(violationsOf(check, { types: 'asset.completed,foo' })).toMatchObject([
      { field: 'types', detail: expect.stringMatching(/Unknown: "foo"\.$/) },
    ])
  })
})

describe('invalidParameterFinder', () => {
  const uuid = { type: 'string', format: 'uuid' }
  const findInvalidParameter = invalidParameterFinder(object({ id: uuid, number: { type: 'integer' } }, 'id'))
  const id = '019a0000-0000-7000-8000-000000000000'
  it('names the malformed parameter', () => {
    expect(findInvalidParameter({ id, number: '7' })).toBeUndefined()
    expect(findInvalidParameter({ id: 'x', number: '7' })).toBe('id')
    for (const number of ['x', '0x7', '7e0']) expect(findInvalidParameter({ id, number })).toBe('number')
    expect(findInvalidParameter({})).toBe('')
  })
})

type TitleField = {
  readonly operation: string
  readonly field: string
  readonly check: (title: string) => readonly Violation[]
}

/** All fields of the contract with the format of a title, also those of list items. */
const titleFields = operations.flatMap(({ id, body }: AnyOperation): TitleField[] => {
  const properties = Object.entries((body?.properties ?? {}) as Record<string, { format?: string; items?: object }>)
  return properties.flatMap(([name, { format, items }]) => {
    const { properties: inItem = {} } = (items ?? {}) as { properties?: Record<string, { format?: string }> }
    const check = checkBody({ type: 'object', properties: { [name]: body.properties[name] } })
    const own = { operation: id, field: name, check: (title: string) => violationsOf(check, { [name]: title }) }
    const inner = Object.entries(inItem).flatMap(([part, { format }]) => {
      const field = `${name}[0].${part}`
      const ofItem = (title: string) => violationsOf(check, { [name]: [{ start_time: '00:00:00', [part]: title }] })
      return format === 'title' ? [{ operation: id, field, check: ofItem }] : []
    })
    return [...(format === 'title' ? [own] : []), ...inner]
  })
})

describe('the titles, names and labels of the contract', () => {
  it('are found in requests about folders, assets, chapters, subtitles, tokens, signing keys and organizations', () => {
    expect(titleFields.map(({ operation, field }) => `${operation}.${field}`).sort()).toEqual([
      'addChapters.chapters[0].title',
      'addSubtitle.label',
      'createClip.title',
      'createFolder.title',
      'createRole.name',
      'createSigningKey.name',
      'createToken.name',
      'createUploadSession.title',
      'editChapter.title',
      'renderAsset.title',
      'replaceChapters.chapters[0].title',
      'updateAsset.title',
      'updateFolder.title',
      'updateOrganization.name',
      'updateRole.name',
    ])
  })

  it.each(titleFields)('have one limit, one code and one message: $operation.$field', ({ field, check }) => {
    for (const length of [256, 1025, 5000, 500_000]) {
      expect(check('x'.repeat(length))).toEqual([
        {
          field,
          code: 'invalid_title',
          detail: `\`${field}\` must be at most 255 characters (got ${length}).`,
        },
      ])
    }
    expect(check(`${' '.repeat(1100)}${'x'.repeat(256)}`)).toMatchObject([
      { code: 'invalid_title', detail: `\`${field}\` must be at most 255 characters (got 256).` },
    ])
  })

  it.each(titleFields)('are measured without the spaces around them: $operation.$field', ({ check }) => {
    for (const title of [`${' '.repeat(1100)}x`, `x${'\u200b'.repeat(5000)}`, ` ${'x'.repeat(255)} `.padEnd(900_000)])
      expect(check(title)).toEqual([])
  })
})

// The service compiles a schema with the first request, so this test reports invalid ones.
describe('the schemas of the contract', () => {
  it('are valid JSON Schema', () => {
    const ajv = new Ajv({ strict: false })
    addFormats.default(ajv)
    for (const operation of operations) {
      const { params, query: parameters, headers, body: content }: AnyOperation = operation
      for (const schema of [params, parameters, headers, content]) {
        if (schema) expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true)
      }
    }
  })

  it.each(operations.map((operation) => [operation.id, operation] as const))('compile for %s', (_, operation) => {
    const { params, query: parameters, headers, body: content, success }: AnyOperation = operation
    invalidParameterFinder(params)({})
    violationsOf(checkQuery(parameters), {})
    if (headers) violationsOf(() => readHeaders(headers)({}), undefined)
    if (content) violationsOf(checkBody(content), {})
    if (!success.mediaTypes && success.body) fastJsonStringify(success.body as Schema)
  })
})
