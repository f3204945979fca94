import { gzipSync } from 'node:zlib'
import { operations } from '@reelkeep/contract'
import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { acceptJsonOnly } from './json-body.ts'
import { BODY_BYTES_MAX, JSON_FIELDS_MAX } from './limits.ts'
import { sendProblem } from './problem.ts'

/** Sends a body to a server that returns what it parsed. */
async function responseTo(payload: string | Buffer, headers: Record<string, string> = {}) {
  const http = fastify({ bodyLimit: 6 * BODY_BYTES_MAX })
  acceptJsonOnly(http)
  http.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, 'http://docs.example'))
  http.post('/', ({ body }) => ({ body }))
  const response = await http.inject({
    ...{ method: 'POST', url: '/', payload },
    headers: { 'content-type': 'application/json', ...headers },
  })
  return { status: response.statusCode, body: response.json() }
}

const fields = (count: number) => `{${Array.from({ length: count }, (_, index) => `"f${index}":1`).join()}}`
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const values = (count: number) => `[${Array(count).fill(1).join()}]`

describe('a request body in JSON', () => {
  it.each([
    ['an object with 64 fields', fields(64)],
    ['many objects with 64 fields', `[${Array(100).fill(fields(64)).join()}]`],
    ['32 levels', nested(32)],
    ['many siblings', `[${Array(1000).fill(nested(31)).join()}]`],
    ['10,000 values', values(10_000)],
    [
      'brackets, commas and quotes in strings',
      JSON.stringify({ 'a{"[:,\\': `${'{['.repeat(100)}\\"${':,'.repeat(20_000)}` }),
    ],
  ])('is accepted with %s', async (_, payload) => {
    expect(await responseTo(payload)).toEqual({ status: 200, body: { body: JSON.parse(payload) } })
  })

  it.each([
    ['an object with 65 fields', fields(65), 'made of objects with at most 64 fields each'],
    ['the same field 65 times', `{${Array(65).fill('"a":1').join()}}`, 'made of objects with at most 64 fields each'],
    ['65 fields in a nested object', `{"a":[{"b":${fields(65)}}]}`, 'made of objects with at most 64 fields each'],
    ['33 levels', nested(33), 'nested at most 32 levels deep'],
    ['33 levels of objects', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, 'nested at most 32 levels deep'],
    ['more than 10,000 values', values(10_002), 'made of at most 10000 values'],
  ])('is refused with %s', async (_, payload, limit) => {
    expect(await responseTo(payload)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', detail: `The JSON of the request body must be ${limit}.` },
    })
  })

  it.each(['{"a":1', '{"a"', '"a', '"a\\', ']]]]', '}{', ':'])('is refused if it is not valid: %s', async (payload) => {
    expect(await responseTo(payload)).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
  })

  // Valid JSON would have an end: the parser would report these as malformed.
  it.each([
    ['fields', fields(100_000)],
    ['levels', nested(500_000)],
    ['values', values(500_000)],
  ])('is refused before it is parsed if it has too many %s', async (_, payload) => {
    expect(await responseTo(payload.slice(0, -1))).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })
})

describe('the headers of a request body', () => {
  it.each([
    { 'content-encoding': 'identity' },
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'application/json;charset="UTF8"' },
    { 'content-type': 'application/json; charset=UTF-8; profile=x' },
    { 'content-type': 'application/json; profile=x' },
  ])('are accepted: %j', async (headers) => {
    expect(await responseTo('{"a":"ä"}', headers)).toEqual({ status: 200, body: { body: { a: 'ä' } } })
  })

  it.each(['gzip', 'br', 'GZIP', 'identity, gzip', 'x'])('are refused with Content-Encoding: %s', async (encoding) => {
    for (const payload of ['{"a":1}', gzipSync('{"a":1}')])
      expect(await responseTo(payload, { 'content-encoding': encoding })).toMatchObject({
        status: 415,
        body: { code: 'unsupported_media_type', detail: expect.stringContaining('Content-Encoding') },
      })
  })

  it.each(['latin1', 'iso-8859-1', 'utf-16', '"us-ascii"', 'utf-88', ''])(
    'are refused with the charset %s',
    async (charset) => {
      const type = { 'content-type': `application/json; charset=${charset}` }
      expect(await responseTo('{"a":1}', type)).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
    },
  )
})

describe('the contract', () => {
  it('has no body with more fields than an object may have', () => {
    const counts = operations.flatMap(({ body }) => (body ? fieldCounts(body) : []))
    expect(Math.max(...counts)).toBeLessThanOrEqual(JSON_FIELDS_MAX)
  })
})

function fieldCounts(schema: unknown): number[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { properties?: object }
  return [Object.keys(properties ?? {}).length, ...Object.values(schema).flatMap(fieldCounts)]
}
