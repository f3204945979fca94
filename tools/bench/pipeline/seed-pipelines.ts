/**
 * Creates many waiting pipelines: enqueues a real one, and copies its rows with statements that bypass row-level
 * security. The rows therefore look exactly like those that the service and DBOS write.
 */
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import type { Superuser } from '@reelkeep/testkit'
import { type BenchAsset, enqueuePipeline, newAssets, type PipelineFixture } from './pipeline-fixture.ts'

const ROWS_PER_STATEMENT = 100_000

/** The tables with the rows of a pipeline, and the columns that differ in each copy. */
const tables: Record<string, Record<string, string>> = {
  assets: { organization_id: 'organization', id: 'asset' },
  asset_happenings: { organization_id: 'organization', asset_id: 'asset' },
  pipelines: { organization_id: 'organization', asset_id: 'asset' },
  pipeline_steps: { organization_id: 'organization', asset_id: 'asset' },
  'dbos.workflow_status': {
    workflow_uuid: renamed('t.workflow_uuid'),
    queue_partition_key: 'organization',
    // Copies are ordered by number, and are older than pipelines that are enqueued later.
    created_at: 't.created_at - 86400000 + number',
  },
  'dbos.workflow_input': {
    workflow_uuid: renamed('t.workflow_uuid'),
    inputs: renamed('t.inputs'),
  },
}

function renamed(column: string): string {
  return `replace(replace(${column}, $1, organization), $2, asset::text)`
}

export type Waiting = { readonly from: number; readonly to: number }

/** Creates waiting pipelines with these numbers, distributed over these organizations. */
export async function seedPipelines(
  fixture: PipelineFixture,
  organizations: readonly OrganizationId[],
  { from, to }: Waiting,
): Promise<void> {
  const { superuser } = fixture
  const [template] = await newAssets(fixture, organizations.slice(0, 1), 1)
  if (!template) throw new Error('Nothing to multiply')
  await enqueuePipeline(fixture, template)
  // Skips foreign key checks: the rows are correct by construction.
  await superuser.query('set session_replication_role = replica')
  for (let start = from; start < to; start += ROWS_PER_STATEMENT) {
    const end = Math.min(to, start + ROWS_PER_STATEMENT)
    for (const [table, changes] of Object.entries(tables)) {
      await multiply(superuser, { table, changes, template, organizations, start, end })
    }
  }
  await superuser.query('set session_replication_role = default')
  for (const table of Object.keys(tables)) await superuser.query(`vacuum (analyze) ${table}`)
}

async function multiply(
  superuser: Superuser,
  given: {
    readonly table: string
    readonly changes: Record<string, string>
    readonly template: BenchAsset
    readonly organizations: readonly OrganizationId[]
    readonly start: number
    readonly end: number
  },
): Promise<void> {
  const { table, changes, template, organizations, start, end } = given
  const rows = await superuser.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0
       and not attisdropped and attgenerated = ''`,
    [table],
  )
  const names = rows.map(({ name }) => name)
  const isOfTemplate = names.includes('workflow_uuid')
    ? `strpos(workflow_uuid, $1) = 1 and strpos(workflow_uuid, $2) > 0`
    : `organization_id = $1 and ${names.includes('asset_id') ? 'asset_id' : 'id'} = $2::text::uuid`
  await superuser.query(
    `insert into ${table} (${names.join(', ')})
     select ${names.map((name) => changes[name] ?? `t.${name}`).join(', ')}
     from (select * from ${table} where ${isOfTemplate}) as t,
       (select number, ($3::text[])[1 + number % cardinality($3::text[])] as organization,
          ('01990000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid as asset
        from generate_series($4::int, $5::int - 1) as number) as wanted`,
    [template.organizationId, template.id, organizations, start, end],
  )
}
