/** Generates random requests to an operation: valid requests, requests with one error, and arbitrary requests. */
import type { AnyOperation } from '@reelkeep/contract'
import fc, { type Arbitrary } from 'fast-check'
import { brokenFor, oddTexts, oddValues, type Schema, validFor } from './schema-arbitrary.ts'

/** An existing resource, chosen when the request is sent. */
export type Chosen = { readonly nth: number }

/** A path segment. If it is arbitrary (`isOdd`), the path may match another operation, or none. */
type Segment = { readonly text: string; readonly isOdd: boolean }

type Whose = 'own' | 'bearer' | 'weak' | 'foreign' | 'none'

export type RandomRequest = {
  readonly operation: AnyOperation
  readonly organization: 'own' | 'foreign' | Segment
  readonly authorization: Whose | { readonly text: string }
  /** The path segments, by the name of the path parameter. */
  readonly segments: Record<string, Chosen | Segment>
  readonly query: string
  readonly body: string | undefined
  readonly headers: Record<string, string>
}

const often = <T>(weight: number, arbitrary: Arbitrary<T>) => ({ weight, arbitrary })

/** Random header values: bytes that a header can contain, without blanks at the ends. */
const headerText = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
  .map((text) => text.replace(/[\x7f-\x9f]/g, '').trim())

const oddSegment = fc
  .oneof(
    fc.constantFrom('%00', '%2F', '%zz', '%ff', '%', '../..', '%2e%2e', '.', ';', '%0d%0a', '+', '~'),
    fc.constantFrom('tree', 'current', 'move', 'null', '0', 'a'.repeat(127), 'a'.repeat(129)),
    oddTexts.map((text) => encodeURIComponent(text.toWellFormed())),
    fc.string().map((text) => text.replace(/[/?#\\\s]/g, '')),
  )
  .map((text) => ({ text: text || 'x', isOdd: true }))

function segmentFor(schema: Schema) {
  return fc.oneof(
    often(
      6,
      fc.nat().map((nth) => ({ nth })),
    ),
    often(
      2,
      validFor(schema).map((id) => ({ text: String(id), isOdd: false })),
    ),
    often(2, oddSegment),
  )
}

/** A query parameter with its value as text. */
const pairOf = (name: string, value: unknown) =>
  `${encodeURIComponent(name)}=${encodeURIComponent(asText(value).toWellFormed())}`

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function queryFor(schema: Schema): Arbitrary<string> {
  const toQuery = (object: unknown) =>
    Object.entries(object as object)
      .map(([name, value]) => pairOf(name, value))
      .join('&')
  const broken = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    fc.oneof(brokenFor(property), fc.array(validFor(property), { maxLength: 3 })).map((value) => pairOf(name, value)),
  )
  return fc.oneof(
    often(4, fc.constant('')),
    often(6, validFor(schema).map(toQuery)),
    often(3, fc.oneof(fc.constant('a=b'), ...broken)),
    often(1, fc.constantFrom('&&&', '=', '?', '%', '%zz=1', 'limit=1&limit=2', 'q[]=1', 'q[a]=1')),
    often(1, fc.string().map(encodeURI)),
  )
}

function bodyFor(schema: Schema | undefined): Arbitrary<string | undefined> {
  const json = (value: Arbitrary<unknown>) => value.map((value) => JSON.stringify(value))
  const nothing = fc.constant(undefined)
  const oddBody = fc.oneof(
    json(oddValues),
    fc.string(),
    fc.constantFrom('{', '{}{}', '[', '"', 'null', '{"a":1,"a":2}', '{"__proto__":{}}', '\ufeff{}'),
    fc.constantFrom('['.repeat(50_000), '{"a":'.repeat(10_000), `"${'x'.repeat(100_000)}"`),
  )
  if (!schema) return fc.oneof(often(12, nothing), often(1, oddBody))
  return fc.oneof(
    often(8, json(validFor(schema))),
    often(8, json(brokenFor(schema))),
    often(2, oddBody),
    often(1, nothing),
  )
}

const contentType = fc.oneof(
  often(20, fc.constant<string | undefined>('application/json')),
  often(1, fc.constantFrom('application/json; charset=utf-8', 'APPLICATION/JSON', undefined)),
  often(1, fc.constantFrom('text/plain', 'application/xml', 'application/json;', '*/*', '', '/')),
)

const idempotencyKey = fc.oneof(
  often(6, fc.constant(undefined)),
  often(
    2,
    fc.integer({ min: 0, max: 30 }).map((number) => `key-${number}`),
  ),
  often(1, headerText),
)

/** Many IP addresses, so that the rate limit of anonymous clients does not reject them all. */
const ip = fc.oneof(fc.ipV4(), fc.ipV6(), headerText)

function headersFor(hasBody: boolean): Arbitrary<Record<string, string>> {
  const names = fc.constantFrom('accept', 'accept-encoding', 'x-request-id', 'origin', 'te', 'range')
  return fc
    .record({
      type: hasBody ? contentType : fc.oneof(often(8, fc.constant(undefined)), contentType),
      key: idempotencyKey,
      ip,
      other: fc.option(fc.tuple(names, headerText), { freq: 3 }),
    })
    .map(({ type, key, ip, other }) => ({
      ...(type !== undefined && { 'content-type': type }),
      ...(key !== undefined && { 'idempotency-key': key }),
      'x-forwarded-for': ip,
      ...(other && { [other[0]]: other[1] }),
    }))
}

export function requestFor(operation: AnyOperation): Arbitrary<RandomRequest> {
  const { params, query, body } = operation
  const segments = Object.entries(params.properties as Record<string, Schema>)
  return fc.record({
    operation: fc.constant(operation),
    organization: fc.oneof(
      often(30, fc.constant('own' as const)),
      often(1, fc.constant('foreign' as const)),
      often(1, oddSegment),
    ),
    authorization: fc.oneof(
      often(30, fc.constantFrom<Whose>('own')),
      often(3, fc.constantFrom<Whose>('bearer', 'weak', 'foreign', 'none')),
      often(
        1,
        headerText.map((text) => ({ text })),
      ),
    ),
    segments: fc.record(Object.fromEntries(segments.map(([name, schema]) => [name, segmentFor(schema)]))),
    query: queryFor(query),
    body: bodyFor(body),
    headers: headersFor(body !== undefined),
  })
}
