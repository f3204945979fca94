/** `pnpm generate:schema`: writes the types of the tables of a database with all migrations. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resetDatabase, root, startStack, withDatabase } from '@reelkeep/testkit'
import { SCHEMA_FILE, schemaTypes } from './schema-types.ts'

const env = withDatabase(await startStack('postgres'), 'schema_types')
await resetDatabase(env)
const path = join(root, SCHEMA_FILE)
mkdirSync(dirname(path), { recursive: true })
writeFileSync(path, await schemaTypes(env.DATABASE_OWNER_URL))
