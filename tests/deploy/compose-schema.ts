/** The schema of the Compose Specification. There is no package for it; a linter for Compose files contains it. */
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'

const path = new URL('../schemas/compose.schema.json', import.meta.resolve('dclint'))
// It names a dialect that Ajv does not support, and formats specific to Compose.
const { $schema: _, ...schema } = JSON.parse(readFileSync(path, 'utf8'))
const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema)

/** Violations of the specification in a Compose file. */
export const faultsIn = (file: unknown): string[] =>
  validate(file) ? [] : (validate.errors ?? []).map((it) => `${it.instancePath} ${it.message}`)
