/**
 * The schema of the Compose Specification itself. It is in no package of its own; a linter for
 * Compose files carries it.
 */
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'

const path = new URL('../schemas/compose.schema.json', import.meta.resolve('dclint'))
// It names a dialect by an address that Ajv does not know, and formats of Compose's own.
const { $schema: _, ...schema } = JSON.parse(readFileSync(path, 'utf8'))
const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema)

/** What the specification does not allow in a Compose file. */
export const faultsIn = (file: unknown): string[] =>
  validate(file) ? [] : (validate.errors ?? []).map((it) => `${it.instancePath} ${it.message}`)
