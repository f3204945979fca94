/** The operations of the API, read from the OpenAPI document of the reference. */
import openApi from '../../../docs/reference/openapi.json' with { type: 'json' }

export type Schema = {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly examples?: readonly unknown[]
}

type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

type Described = {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

export type Operation = {
  readonly id: string
  /** Fragment of the operation's heading. */
  readonly slug: string
  readonly resource: string
  readonly method: string
  /** Path below `/api/v1/<organization_id>`. */
  readonly path: string
  readonly summary: string
  readonly description: string
  /** Without the organization, which every operation has. */
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
  readonly success: {
    readonly status: string
    readonly mediaType: string | undefined
    readonly schema: Schema | undefined
  }
  /** Error codes by status. */
  readonly errors: readonly { readonly status: string; readonly codes: readonly string[] }[]
}

export type Resource = { readonly name: string; readonly slug: string; readonly operations: readonly Operation[] }

const PREFIX = '/api/v1/{organization_id}'
const document = openApi as unknown as {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => toOperation(path.replace(PREFIX, ''), method, described)),
)

export const resources: readonly Resource[] = document.tags.map(({ name }) => ({
  name,
  slug: kebab(name),
  operations: operations.filter(({ resource }) => resource === name),
}))

function toOperation(path: string, method: string, described: Described): Operation {
  const { operationId: id, tags, summary, description, parameters, requestBody, responses } = described
  const [[status = '', success] = []] = Object.entries(responses)
  const [[mediaType, content] = []] = Object.entries(success?.content ?? {})
  return {
    id,
    slug: kebab(id),
    resource: tags[0],
    method: method.toUpperCase(),
    path,
    summary,
    description,
    parameters: parameters.filter(({ name }) => name !== 'organization_id'),
    body: requestBody?.content['application/json']?.schema,
    success: { status, mediaType, schema: content?.schema },
    errors: Object.entries(responses)
      .filter(([code]) => code >= '400')
      .map(([code, { description: text }]) => ({ status: code, codes: codesIn(text) })),
  }
}

/** Each paragraph of the description starts with an error code. */
function codesIn(description: string): string[] {
  return [...description.matchAll(/^`(\w+)`:/gm)].map(([, code = '']) => code)
}

function kebab(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll(' ', '-')
    .toLowerCase()
}
