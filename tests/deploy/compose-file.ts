import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { parse } from 'yaml'
import type { Environment } from './settings.ts'

const folder = join(root, 'deploy/compose')
const SECRETS = '/run/secrets/'

export type Service = {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Readonly<Record<string, string | number>>
  readonly secrets?: readonly string[]
  readonly networks?: readonly string[] | Readonly<Record<string, { readonly ipv4_address?: string }>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly stop_grace_period?: string
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly restart?: string
  readonly profiles?: readonly string[]
}

type ComposeFile = {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
  readonly volumes: Readonly<Record<string, object>>
}

/** The lines of example.env, parsed like Compose. */
export const exampleEnvironment: Environment = Object.fromEntries(
  readFileSync(join(folder, 'example.env'), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split(/=(.*)/s, 2)),
)

export const composeText = readFileSync(join(folder, 'compose.yaml'), 'utf8')

/** Reads the Compose file for production like Compose: parses the YAML, then substitutes variables in each string. */
export const readCompose = (env = exampleEnvironment): ComposeFile => read(composeText, env)

/** Reads the `compose.yaml` at the root of the repository. */
export const readRootCompose = (env: Environment = {}): ComposeFile =>
  read(readFileSync(join(root, 'compose.yaml'), 'utf8'), env)

/** The settings of a service as strings. */
export const environmentOf = ({ environment = {} }: Service): Environment =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]))

/** The command that a service runs, if any. */
export const commandOf = ({ command, entrypoint }: Service): string | undefined => command?.[0] ?? entrypoint?.at(-1)

/** Names of the secrets whose files a service reads. */
export const secretsRead = (service: Service): string[] =>
  Object.values(environmentOf(service))
    .filter((value) => value.startsWith(SECRETS))
    .map((path) => path.replace(SECRETS, ''))

const read = (text: string, env: Environment): ComposeFile => ({
  secrets: {},
  networks: {},
  ...(interpolated(parse(text, { merge: true }), env) as Pick<ComposeFile, 'services' | 'volumes'>),
})

function interpolated(part: unknown, env: Environment): unknown {
  if (typeof part === 'string') return filledIn(part, env)
  if (Array.isArray(part)) return part.map((item) => interpolated(item, env))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, interpolated(value, env)]))
}

/** `${NAME}`, `${NAME:-otherwise}` and `${NAME:?why}`: the forms of variables that every Compose tool supports. */
const filledIn = (text: string, env: Environment) =>
  text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, other = '') => {
    const value = env[name]
    if (value) return value
    if (kind === '-') return other
    throw new Error(`${name} is not set: ${other}`)
  })
