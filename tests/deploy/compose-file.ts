import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { parse } from 'yaml'

const folder = join(root, 'deploy/compose')

export type Service = {
  readonly image: string
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
export const exampleEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  readFileSync(join(folder, 'example.env'), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split(/=(.*)/s, 2)),
)

export const composeText = readFileSync(join(folder, 'compose.yaml'), 'utf8')

/** Reads compose.yaml like Compose: parses the YAML first, then substitutes variables in each string. */
export const readCompose = (env = exampleEnvironment): ComposeFile =>
  interpolated(parse(composeText, { merge: true }), env) as ComposeFile

function interpolated(part: unknown, env: Readonly<Record<string, string>>): unknown {
  if (typeof part === 'string') return filledIn(part, env)
  if (Array.isArray(part)) return part.map((item) => interpolated(item, env))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, interpolated(value, env)]))
}

/** `${NAME}`, `${NAME:-otherwise}` and `${NAME:?why}`: the forms of variables that every Compose tool supports. */
const filledIn = (text: string, env: Readonly<Record<string, string>>) =>
  text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, other = '') => {
    const value = env[name]
    if (value) return value
    if (kind === '-') return other
    throw new Error(`${name} is not set: ${other}`)
  })
