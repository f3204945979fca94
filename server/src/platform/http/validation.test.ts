import { chapters, tokens, uploadSessions } from '@reelkeep/contract'
import { describe, expect, it } from 'vitest'
import { DomainError, type Fault } from '../../kernel/errors.ts'
import { checkBody, checkQuery, finderOfStrange } from './validation.ts'

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
      name: { type: 'string', pattern: '\\S' },
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

function faultsOf(check: (value: unknown) => void, value: unknown): readonly Fault[] {
  try {
    check(value)
    return []
  } catch (error) {
    if (error instanceof DomainError) return error.faults
    throw error
  }
}

/** A list that counts how often somebody looks at an item of it. */
function watched(item: unknown, length: number) {
  let count = 0
  const list = new Proxy(Array(length).fill(item), {
    get(items, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) count++
      return Reflect.get(items, key)
    },
  })
  return { list, visits: () => count }
}

const fieldsOf = (value: unknown) => faultsOf(body, value).map(({ field }) => field)
const detailOf = (value: unknown) => faultsOf(body, value).map(({ detail }) => detail)

describe('checkBody', () => {
  it('lets a whole body pass and fills in what has a default', () => {
    const given = { name: 'x', until: null, chapters: [{ title: 'a', start: 0 }] }
    expect(fieldsOf(given)).toEqual([])
    expect(given).toMatchObject({ copies: 1 })
  })

  it('tells every fault at once, each with its field', () => {
    const faults = faultsOf(body, {
      kind: 'text',
      chapters: [{ title: '', start: 0 }, { title: 'longer', start: -1 }, { colour: 'red' }],
      copies: 1.5,
      nmae: 'x',
    })
    expect(faults.map(({ field, code }) => [field, code]).sort()).toEqual([
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

  it('tells one fault a field', () => {
    expect(fieldsOf({ name: 'x', until: 'soon' })).toEqual(['until'])
    expect(fieldsOf({ name: 'x', until: 7 })).toEqual(['until'])
  })

  it('tells at most fifty', () => {
    const chapters = Array.from({ length: 90 }, () => ({ title: '', start: 0 }))
    expect(fieldsOf({ name: 'x', chapters })).toHaveLength(50)
  })

  it.each([
    [{}, 'name is required.'],
    [{ name: ' ' }, 'name does not have the form it must have.'],
    [{ name: 'x', kind: 'text' }, 'kind must be one of video, audio.'],
    [{ name: 'x', until: 'soon' }, 'until must be a date-time, such as 2027-01-31T12:00:00Z.'],
    [{ name: 'x', chapters: [{ title: '', start: 0 }] }, 'chapters[0].title must not be empty.'],
    [
      { name: 'x', chapters: [{ title: 'longer', start: 0 }] },
      'chapters[0].title must have at most 5 characters.',
    ],
    [{ name: 'x', copies: 'two' }, 'copies must be one whole number.'],
    [
      { name: 'x', nmae: 1 },
      'nmae is not a field of this request. It takes: name, kind, until, chapters, copies.',
    ],
    [[], 'The body must be a JSON object.'],
    ['text', 'The body must be a JSON object.'],
  ])('says what to do about %j', (given, detail) => {
    expect(detailOf(given)).toEqual([detail])
  })

  it('does not take "5" for 5, nor 1 for true: a body has types', () => {
    expect(fieldsOf({ name: 'x', copies: '5' })).toEqual(['copies'])
    expect(fieldsOf({ name: 5 })).toEqual(['name'])
  })

  it.each([
    ['numbers', (index: number) => index],
    ['texts', (index: number) => `scope ${index}`],
    ['lists', (index: number) => [index]],
  ])('takes time in proportion to a list of %s, not to its square', (_, itemOf) => {
    const check = checkBody(tokens.createToken.body)
    // The largest body holds five times as many; the square of that would hold everybody up for a minute.
    const scopes = Array.from({ length: 30_000 }, (_, index) => itemOf(index))
    const start = performance.now()
    expect(faultsOf(check, { name: 'x', scopes })).not.toEqual([])
    expect(performance.now() - start).toBeLessThan(500)
  })

  it.each([
    ['createUploadSession.resolutions', uploadSessions.createUploadSession, { title: 'x' }, {}],
    ['addChapters.chapters', chapters.addChapters, {}, 0],
    ['replaceChapters.chapters', chapters.replaceChapters, {}, {}],
    ['createToken.scopes', tokens.createToken, { name: 'x' }, 0],
  ])('tells of a list that is too long only that: %s', (name, operation, rest, item) => {
    const [, field = ''] = name.split('.')
    const { list, visits } = watched(item, 2000)
    const faults = faultsOf(checkBody(operation.body), { ...rest, [field]: list })
    expect(faults).toMatchObject([{ field, code: 'invalid_request' }])
    expect(faults[0]?.detail).toMatch(/^\w+ must have at most \d+ items\.$/)
    expect(visits()).toBe(0)
    expect(list).toHaveLength(2000)
  })

  it('tells the other faults of a body with such a list as well', () => {
    const chapters = Array.from({ length: 101 }, () => ({ title: '', start: 0 }))
    expect(fieldsOf({ copies: 'two', chapters }).sort()).toEqual(['chapters', 'copies', 'name'])
  })
})

describe('checkQuery', () => {
  it('reads text as what the schema says', () => {
    const given = { limit: '10', recursive: 'true', q: '5' }
    expect(faultsOf(query, given)).toEqual([])
    expect(given).toEqual({ limit: 10, recursive: true, q: '5' })
  })

  it.each([{ limit: 'ten' }, { limit: '' }, { limit: ['1', '2'] }, { recursive: 'yes' }])(
    'refuses %j',
    (given) => {
      const [field] = Object.keys(given)
      expect(faultsOf(query, { ...given })).toMatchObject([{ field, code: 'invalid_request' }])
    },
  )

  it('refuses a parameter it does not know, by name', () => {
    const [fault] = faultsOf(query, { recursiv: 'true' })
    expect(fault?.field).toBe('recursiv')
    expect(fault?.detail).toContain('limit, recursive, q')
  })
})

describe('finderOfStrange', () => {
  const uuid = { type: 'string', format: 'uuid' }
  const findStrange = finderOfStrange(object({ id: uuid, number: { type: 'integer' } }, 'id'))
  const id = '019a0000-0000-7000-8000-000000000000'
  it('names the parameter that cannot be an identifier', () => {
    expect(findStrange({ id, number: '7' })).toBeUndefined()
    expect(findStrange({ id: 'x', number: '7' })).toBe('id')
    expect(findStrange({ id, number: 'x' })).toBe('number')
    expect(findStrange({})).toBe('')
  })
})
