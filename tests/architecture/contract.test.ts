/** Checks that the server and the OpenAPI document contain every operation, and that every request is bounded. */
import { type AnyOperation, errorCatalogue, errorCodesOf, operations, scopes, toOpenApi } from '@reelkeep/contract'
import { openContext } from '@reelkeep/server/main/wiring/context.ts'
import { buildHttpApp } from '@reelkeep/server/main/wiring/http-app.ts'
import { readApiConfig } from '@reelkeep/server/platform/config/env.ts'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { unboundedIn } from './bounds.ts'

const all: readonly AnyOperation[] = operations
const document = toOpenApi(all, { url: 'https://video.example', version: '1.2.3' })

type Described = { readonly operationId: string; readonly responses: object }
const paths = document.paths as Record<string, Record<string, Described>>

const repeated = (texts: readonly string[]) => texts.filter((text, index) => texts.indexOf(text) !== index)

const keyOf = ({ method, path }: AnyOperation) => `${method} ${path}`

/** The server with every route. It contacts neither Postgres nor storage before the first request. */
async function openServer() {
  const context = openContext(
    readApiConfig({
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      STORAGE_ENDPOINT: 'http://127.0.0.1:1',
      STORAGE_ACCESS_KEY_ID: 'nobody',
      STORAGE_SECRET_ACCESS_KEY: 'none',
      PLAYBACK_SECRET: 'a playback secret for this test only',
      KEY_ENCRYPTION_KEYS: `none:${Buffer.alloc(32).toString('base64')}`,
      LOG_LEVEL: 'silent',
      TRUSTED_PROXY_HOPS: '1',
    }),
  )
  const http = await buildHttpApp(context)
  return { http, [Symbol.asyncDispose]: () => http.close() }
}

/** Common methods, and some that Fastify does not route. */
const anyMethods = [
  ...(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const),
  ...(['TRACE', 'PROPFIND', 'REPORT'] as unknown as readonly 'GET'[]),
]

describe('every operation', () => {
  it('has a unique ID and path, and the path ends with a slash', () => {
    expect(repeated(all.map(({ id }) => id))).toEqual([])
    expect(repeated(all.map((operation) => keyOf(operation).replace(/:\w+/g, ':')))).toEqual([])
    expect(all.filter(({ path }) => !/^\/.*\/$/.test(path))).toEqual([])
  })

  it('has a path in kebab-case, apart from the names of parameters', () => {
    expect(all.map(({ path }) => path).filter((path) => !/^(\/(:[a-z_]+|[a-z]+(-[a-z]+)*))+\/$/.test(path))).toEqual([])
  })

  it('is registered on the server, with and without a trailing slash', async () => {
    await using server = await openServer()
    // Registering the same path twice would have made the start of the server fail.
    for (const [index, { method, path }] of all.entries()) {
      const url = `/api/v1/acme42${path.replace(/:\w+/g, 'x')}`
      for (const path of [url, url.slice(0, -1)]) {
        // Sends each request from its own IP address, because of the rate limit for anonymous clients.
        const headers = { 'x-forwarded-for': `192.0.2.${index}` }
        const { statusCode } = await server.http.inject({ method, url: path, headers })
        // A registered operation first authenticates the caller; an unknown path would return 404 or 405.
        expect(statusCode, `${method} ${path}`).toBe(401)
      }
    }
  })

  it('is registered for HEAD if it is a GET', async () => {
    await using server = await openServer()
    for (const [index, { path }] of all.filter(({ method }) => method === 'GET').entries()) {
      const url = `/api/v1/acme42${path.replace(/:\w+/g, 'x')}`
      const headers = { 'x-forwarded-for': `192.0.2.${index}` }
      const { statusCode, body } = await server.http.inject({ method: 'HEAD', url, headers })
      expect([statusCode, body], `HEAD ${path}`).toEqual([401, ''])
    }
  })

  it('rejects every method that the contract does not list for its path, and names all others in Allow', async () => {
    await using server = await openServer()
    for (const { path } of all) {
      const methods: string[] = all.filter((operation) => operation.path === path).map(({ method }) => method)
      const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort()
      for (const method of anyMethods.filter((method) => !allowed.includes(method))) {
        const url = `/api/v1/acme42${path.replace(/:\w+/g, 'x')}`
        const { statusCode, headers } = await server.http.inject({ method, url })
        expect(statusCode, `${method} ${path}`).toBe(405)
        expect(String(headers['allow']).split(', ').sort(), `${method} ${path}`).toEqual(allowed)
      }
    }
  })

  it('returns 404 for an unsupported method of an unknown path', async () => {
    await using server = await openServer()
    for (const path of ['', 'nothing/', 'assets/a/b/c/', 'assets/x/chapters/1/2/']) {
      const { statusCode } = await server.http.inject({ method: 'PROPFIND' as 'GET', url: `/api/v1/acme42/${path}` })
      expect(statusCode, path).toBe(404)
    }
  })

  it('has a schema for exactly its path parameters', () => {
    for (const { id, path, params } of all) {
      const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      expect(Object.keys(params.properties), id).toEqual(inPath)
    }
  })

  it('requires an existing scope, and lists existing error codes, each once', () => {
    for (const operation of all) {
      expect(scopes).toEqual(expect.arrayContaining([...operation.scopes]))
      const codes = errorCodesOf(operation)
      expect(repeated(codes), operation.id).toEqual([])
      for (const code of codes) expect(errorCatalogue).toHaveProperty(code)
    }
  })

  it('accepts an Idempotency-Key if it creates a resource, and has no body if it reads or deletes one', () => {
    for (const { id, method, success, idempotent, body } of all) {
      if (method === 'POST' && success.status === 201) expect(idempotent, id).toBe(true)
      if (method === 'GET' || method === 'DELETE') expect(body, id).toBeUndefined()
      expect(success.body === undefined, id).toBe(success.status === 204)
    }
  })
})

describe('every list', () => {
  const lists = all.filter(({ id, success }) => id.startsWith('list') || success.body?.properties?.results)

  it.each(lists.map((operation) => [operation.id, operation] as const))(
    'has count, next, previous and results, or says why not: %s',
    (_, { description, success }) => {
      const missing = ['count', 'next', 'previous', 'results'].filter((name) => !(name in success.body.properties))
      if (missing.length > 0) expect(description).toMatch(/The response has no `count`.*, because /)
    },
  )
})

describe('every request', () => {
  it.each(operations.map(({ id }) => id))('of the operation %s limits the size of all its parts', (id) => {
    const operation = all.find((operation) => operation.id === id)
    const { params: path, query, headers, body } = operation ?? {}
    const parts = { path, query, headers, body }
    const openParts = ['path', 'headers']
    const errors = Object.entries(parts).flatMap(([part, schema]) =>
      schema ? unboundedIn(schema, part, { isOpen: openParts.includes(part) }) : [],
    )
    expect(errors).toEqual([])
  })
})

describe('the OpenAPI document', () => {
  it('contains every operation by its ID, and nothing else', () => {
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, method, path]),
    )
    const expected = all.map(({ id, method, path }) => [
      id,
      method.toLowerCase(),
      `/api/v1/{organization_id}${path.replace(/:(\w+)/g, '{$1}')}`,
    ])
    expect(found.sort()).toEqual(expected.sort())
  })

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  it('is rejected by the validator if its version is missing', async () => {
    const broken = { ...document, info: { title: 'no version' } }
    expect((await new Validator().validate(JSON.parse(JSON.stringify(broken)))).valid).toBe(false)
  })

  it('lists every status that an operation can return', () => {
    for (const operation of all) {
      const path = `/api/v1/{organization_id}${operation.path.replace(/:(\w+)/g, '{$1}')}`
      const described = paths[path]?.[operation.method.toLowerCase()]
      const statuses = errorCodesOf(operation).map((code) => errorCatalogue[code].status)
      const expected = new Set([operation.success.status, ...statuses].map(String))
      expect(new Set(Object.keys(described?.responses ?? {})), operation.id).toEqual(expected)
    }
  })
})
