/** Code samples of API calls. They read the token from REELKEEP_TOKEN, so that it is not part of a copied text. */

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type ApiCall = {
  /** Method and path below the organization, such as `GET /members/`. */
  readonly request: `${Method} /${string}`
  readonly body?: object
  /** Method of the SDK, such as `members.list`, and its arguments. */
  readonly sdk: string
  readonly args?: readonly unknown[]
}

type Service = { readonly origin: string; readonly organization: string }

/** Longer literals are written on several lines. */
const LITERAL_LENGTH_MAX = 60

export function curlSample({ request, body }: ApiCall, { origin, organization }: Service): string {
  const [method, path] = request.split(' ')
  // curl sends a body as POST, and no body as GET.
  const isImplied = method === (body === undefined ? 'GET' : 'POST')
  const url = `"${origin}/api/v1/${organization}${path}"`
  return [
    ['curl', '--fail-with-body', isImplied ? '' : `-X ${method}`, url].filter(Boolean).join(' '),
    '-H "Authorization: Bearer $REELKEEP_TOKEN"',
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${shellQuoted(JSON.stringify(body))}'`]),
  ].join(' \\\n  ')
}

const shellQuoted = (text: string) => text.replaceAll("'", String.raw`'\''`)

export function sdkSample({ sdk, args = [] }: ApiCall, { origin, organization }: Service): string {
  const call = `client.${sdk}(${args.map((value) => literal(value)).join(', ')})`
  return [
    "import { Reelkeep } from 'reelkeep'\n",
    `const client = new Reelkeep({ url: ${quoted(origin)}, organization: ${quoted(organization)} })`,
    /\.(list|export|stream)$/.test(sdk) ? `for await (const item of ${call}) console.log(item)` : `await ${call}`,
  ].join('\n')
}

/** A JavaScript literal, on several lines if it is long. */
function literal(value: unknown, indent = ''): string {
  const flat = flatLiteral(value)
  if (flat.length <= LITERAL_LENGTH_MAX || typeof value !== 'object' || value === null) return flat
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const lines = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, item]) => `${name}: ${literal(item, inner)}`)
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`
}

function flatLiteral(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(flatLiteral).join(', ')}]`
  const fields = Object.entries(value).map(([name, item]) => `${name}: ${flatLiteral(item)}`)
  return `{ ${fields.join(', ')} }`
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
