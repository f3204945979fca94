import { type TSchema, Type } from 'typebox'
import { type ErrorCode, errorCatalogue, problemSchema } from './errors.ts'
import { Event, eventCatalogue } from './events/events.ts'
import { type AnyOperation, errorCodesOf } from './operation.ts'

type ObjectSchema = { properties?: Record<string, TSchema>; required?: string[] }

/** Builds the OpenAPI 3.1 document; the contract's schemas are included unchanged. */
export function toOpenApi(operations: readonly AnyOperation[], server: { url: string; version: string }) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = `/api/v1/{organization_id}${operation.path.replace(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Reelkeep',
      version: server.version,
      summary: 'Video assets: direct uploads to storage, adaptive streaming, folders and chapters.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server.url }],
    security: [{ token: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: Object.fromEntries(Object.entries(eventCatalogue).map(describeEvent)),
    components: {
      securitySchemes: {
        token: {
          // Code samples that are generated for `http` add the scheme to the token; for `apiKey` they do not.
          type: 'http',
          scheme: 'bearer',
          description: 'Your API token: `Authorization: Bearer <API_TOKEN>`, or `Authorization: token <API_TOKEN>`.',
        },
      },
      schemas: { Problem: problemSchema },
    },
  }
}

const introduction = `
Every path starts with \`/api/v1/<organization_id>/\`. Authenticate each request with the header
\`Authorization: Bearer <API_TOKEN>\` or \`Authorization: token <API_TOKEN>\`.

**Errors** are problem details (RFC 9457) with a stable \`code\`. \`errors\` lists every invalid field.

**Pagination**: lists return \`count\`, \`next\`, \`previous\` and \`results\`. Request the \`next\` URL unchanged until
it is null. If a list has no \`count\`, its description says why.

**Idempotency**: send an \`Idempotency-Key\` to retry a POST that creates something safely.

**Versioning**: \`v1\` only grows. Your client must tolerate new fields, operations and status values.
`

/** The webhook request for one event type. */
function describeEvent([type, { meaning, data }]: [string, { meaning: string; data: TSchema }]) {
  const { properties } = Event
  const schema = { ...Event, properties: { ...properties, type: { const: type }, data } }
  const post = {
    tags: ['Events'],
    summary: type,
    description: meaning,
    requestBody: { required: true, content: json(schema) },
    responses: {
      '2XX': {
        description: 'Acknowledges the event. Any other status makes the service retry the delivery later.',
      },
    },
  }
  return [type, { post }] as const
}

function describe(operation: AnyOperation) {
  const { success, body } = operation
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${scopeSentence(operation)}`,
    parameters: [
      organizationParameter,
      ...parametersIn('path', operation.params),
      ...parametersIn('query', operation.query),
      ...parametersIn('header', operation.headers ?? {}),
      ...(operation.idempotent ? [idempotencyKeyParameter] : []),
    ],
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: {
      [success.status]: {
        description: success.body ? 'Success.' : 'Success. The response has no body.',
        ...(success.hasEntityTag && { headers: { ETag: entityTagHeader } }),
        ...(success.body && { content: contentOf(success) }),
      },
      ...errorResponses(errorCodesOf(operation)),
    },
  }
}

function scopeSentence({ scopes, acceptsUploadToken }: AnyOperation): string {
  if (scopes.length === 0) return 'Accepts any valid token.'
  const names = scopes.map((scope) => `\`${scope}\``).join(' and ')
  const alternative = acceptsUploadToken ? " Also accepts the session's upload token." : ''
  return `Required ${scopes.length === 1 ? 'scope' : 'scopes'}: ${names}.${alternative}`
}

const json = (schema: TSchema) => ({ 'application/json': { schema } })

const contentOf = ({ body, mediaTypes = ['application/json'] }: AnyOperation['success']) =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: body }]))

const organizationParameter = {
  name: 'organization_id',
  in: 'path',
  required: true,
  schema: Type.String({ pattern: '^[a-z0-9]{6,12}$' }),
}

const idempotencyKeyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A unique value, such as a UUID, that makes retries safe: for 24 hours, repeating the request with the same key returns the first response without creating anything again.',
  schema: Type.String({ minLength: 1, maxLength: 255 }),
}

const entityTagHeader = {
  description: 'Version of the resource. Send it in `If-Match` to change the resource only if it is still the same.',
  schema: Type.String(),
}

function parametersIn(where: 'path' | 'query' | 'header', schema: ObjectSchema) {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: schema.required?.includes(name) ?? false,
    schema: property,
  }))
}

/** Error responses of an operation: one per status, which lists its error codes. */
function errorResponses(codes: readonly ErrorCode[]) {
  const byStatus = Map.groupBy(codes, (code) => errorCatalogue[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].meaning}`).join('\n\n'),
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    ]),
  )
}
