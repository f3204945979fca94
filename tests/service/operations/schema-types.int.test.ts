import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, stackEnv } from '@reelkeep/testkit'
import { expect, it } from 'vitest'
import { SCHEMA_FILE, schemaTypes } from '../../../tools/generate/schema-types.ts'

it('the types of the tables are those of the migrated database; run `pnpm generate:schema` after a migration', async () => {
  const types = await schemaTypes(stackEnv().DATABASE_OWNER_URL)
  expect(types).toContain('organization_id: OrganizationId;')
  expect(readFileSync(join(root, SCHEMA_FILE), 'utf8')).toBe(types)
})
