/**
 * Code samples of the operations. They read the service, the organization and the token from REELKEEP_URL,
 * REELKEEP_ORGANIZATION and REELKEEP_TOKEN, and identifiers from variables such as ASSET_ID.
 */
import { sdkMethods } from '../generated/sdk-methods.ts'
import { calls } from './calls.ts'
import type { Operation } from './openapi.ts'

export type Sample = {
  readonly label: 'curl' | 'TypeScript' | 'CLI'
  readonly language: 'bash' | 'ts'
  readonly code: string
}

/** Longer literals are written on several lines. */
const LITERAL_LENGTH_MAX = 60

export function samplesOf(operation: Operation): Sample[] {
  const { cli } = calls[operation.id] ?? {}
  return [
    { label: 'curl', language: 'bash', code: curlSample(operation) },
    { label: 'TypeScript', language: 'ts', code: sdkSample(operation) },
    ...(cli === undefined ? [] : [{ label: 'CLI', language: 'bash', code: `reelkeep ${cli}` } satisfies Sample]),
  ]
}

const exampleOf = ({ body }: Operation) => body?.examples?.[0]

/** `{asset_id}` is read from ASSET_ID. */
const variableOf = (parameter: string) => parameter.toUpperCase()

function curlSample(operation: Operation): string {
  const { method, path, success } = operation
  const withVariables = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${variableOf(name)}`)
  const query = new URLSearchParams(entriesOf(calls[operation.id]?.query)).toString().replaceAll('%2C', ',')
  const example = exampleOf(operation)
  // curl sends a body as POST, and no body as GET.
  const isImplied = method === (example === undefined ? 'GET' : 'POST')
  const isStream = success.mediaType === 'text/event-stream'
  const url = `"$REELKEEP_URL/api/v1/$REELKEEP_ORGANIZATION${withVariables}${query && `?${query}`}"`
  return [
    ['curl', isStream ? '-N' : '', '--fail-with-body', isImplied ? '' : `-X ${method}`, url].filter(Boolean).join(' '),
    '-H "Authorization: Bearer $REELKEEP_TOKEN"',
    ...(example === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${spacedJson(example)}'`]),
  ].join(' \\\n  ')
}

const entriesOf = (query: object = {}) =>
  Object.entries(query).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)]))

const spacedJson = (value: unknown) =>
  JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([[{]) | ([\]}])/g, '$1$2')

/** Identifiers that are numbers. */
const numbers = ['CHAPTER_ID', 'VERSION_NUMBER']

function sdkSample(operation: Operation): string {
  const { query } = calls[operation.id] ?? {}
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => variableOf(name))
  const identifiers = names.map((name) => (numbers.includes(name) ? `Number(${name})` : name))
  const rest = exampleOf(operation) ?? query
  const given = [...identifiers, ...(rest === undefined ? [] : [toLiteral(rest)])]
  return [
    "import { Reelkeep } from 'reelkeep'\n",
    ...(names.length > 0 ? [`const { ${names.map((name) => `${name} = ''`).join(', ')} } = process.env`] : []),
    'const client = new Reelkeep()',
    ...usageOf(operation, `client.${sdkMethods[operation.id]}(${given.join(', ')})`),
  ].join('\n')
}

function usageOf({ id, success }: Operation, call: string): string[] {
  if (id === 'streamEvents') return [`for await (const event of ${call}) console.log(event.type, event.data)`]
  if (success.schema === undefined) return [`await ${call}`]
  if (success.schema.properties?.['results'] && !id.startsWith('add')) {
    return id.startsWith('list') && id !== 'listUploadParts'
      ? [`for await (const item of ${call}) console.log(item)`]
      : [`const { results } = await ${call}`, 'console.log(results)']
  }
  return [`console.log(await ${call})`]
}

/** A JavaScript literal, on several lines if it is long. */
function toLiteral(value: unknown, indent = ''): string {
  const flat = flatLiteral(value)
  if (flat.length <= LITERAL_LENGTH_MAX || typeof value !== 'object' || value === null) return flat
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const lines = Array.isArray(value)
    ? value.map((item) => toLiteral(item, inner))
    : Object.entries(value).map(([name, item]) => `${name}: ${toLiteral(item, inner)}`)
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
