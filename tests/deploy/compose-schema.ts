/** Validates Compose files. The schema of the Compose Specification is taken from a linter, as it has no package. */
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'

const path = new URL('../schemas/compose.schema.json', import.meta.resolve('dclint'))
// `$schema` names a dialect that Ajv does not support; the schema also has formats specific to Compose.
const { $schema: _, ...schema } = JSON.parse(readFileSync(path, 'utf8'))
const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema)

/** Violations of the specification in a Compose file. */
export const faultsIn = (file: unknown): string[] =>
  validate(file) ? [] : (validate.errors ?? []).map((it) => `${it.instancePath} ${it.message}`)
