import { type TSchema, Type } from 'typebox'
import { type ErrorCode, errorCatalogue, problemSchema } from './errors.ts'
import { eventMeanings } from './event-meanings.ts'
import { Event, type EventType, eventData } from './events.ts'
import { type AnyOperation, errorCodesOf } from './operation.ts'

type ObjectSchema = { properties?: Record<string, TSchema>; required?: string[] }

/** The OpenAPI 3.1 document of these operations. The contract's schemas stand in it as they are. */
export function toOpenApi(
  operations: readonly AnyOperation[],
  server: { url: string; version: string },
) {
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
      summary: 'Video assets: uploads straight to storage, adaptive streaming, folders, chapters.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server.url }],
    security: [{ token: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: Object.fromEntries(Object.entries(eventData).map(describeEvent)),
    components: {
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The word `token`, a space, then the API token.',
        },
      },
      schemas: { Problem: problemSchema },
    },
  }
}

const introduction = `
All paths are under \`/api/v1/<organization_id>/\` and need \`Authorization: token <API_TOKEN>\`.

**Errors** are problem documents (RFC 9457) with a stable \`code\`; \`errors\` names every faulty field.

**Lists** answer \`count\`, \`next\`, \`previous\` and \`results\`. Follow \`next\` as it is until it is null.

**Repeating** a POST that creates is safe with an \`Idempotency-Key\`.

Within \`v1\` we only add: expect new fields, new operations and new values of states.
`

/** What a webhook is told of each kind of event. */
function describeEvent([type, data]: [string, TSchema]) {
  const { properties } = Event
  const schema = { ...Event, properties: { ...properties, type: { const: type }, data } }
  const post = {
    tags: ['Events'],
    summary: type,
    description: eventMeanings[type as EventType],
    requestBody: { required: true, content: json(schema) },
    responses: { '2XX': { description: 'Any answer that is not 2xx has it sent again later.' } },
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
        description: success.body ? 'Success.' : 'Success; the body is empty.',
        ...(success.body && { content: contentOf(success) }),
      },
      ...errorResponses(errorCodesOf(operation)),
    },
  }
}

const scopeSentence = ({ scope }: AnyOperation) =>
  scope === null ? 'Any valid token will do.' : `Needs the scope \`${scope}\`.`

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
    'Repeating the request with the same key within 24 hours repeats the answer, not the effect.',
  schema: Type.String({ minLength: 1, maxLength: 255 }),
}

function parametersIn(where: 'path' | 'query' | 'header', schema: ObjectSchema) {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: schema.required?.includes(name) ?? false,
    schema: property,
  }))
}

/** One response a status, naming the codes it may carry. */
function errorResponses(codes: readonly ErrorCode[]) {
  const byStatus = Map.groupBy(codes, (code) => errorCatalogue[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes
          .map((code) => `\`${code}\`: ${errorCatalogue[code].meaning}`)
          .join('\n\n'),
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    ]),
  )
}
