/**
 * `pnpm bench audit`: seals, exports and verifies the audit log of an organization with a million entries. Prints the
 * seconds of a verification by the service, in the database, and by the CLI, of an exported file.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { verifyEntries } from '@reelkeep/server/modules/audit/audit.ts'
import { commandEnvironment, openOwner, root } from '@reelkeep/testkit'
import pg from 'pg'
import { openBenchService } from '../support/bench-service.ts'
import { checkGoals } from '../support/goals.ts'
import { printTable } from '../support/table.ts'

const { values } = parseArgs({ options: { entries: { type: 'string', default: '1000000' } } })
const ENTRIES = Number(values.entries)
/** Maximum seconds to verify a million entries. */
const SECONDS_MAX = 60

await using service = await openBenchService('bench_audit')
const { env, organizationId } = service
const client = new pg.Client(env.DATABASE_SUPERUSER_URL)
await client.connect()
const folder = mkdtempSync(join(tmpdir(), 'audit-'))

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

/** Fills the outbox as requests do, and seals it as workers do. */
async function fill(): Promise<number> {
  await client.query(`select set_config('app.organization_id', $1, false)`, [organizationId])
  await client.query(
    `insert into audit_outbox (organization_id, actor_kind, actor_id, action, object_type, object_id, outcome, address,
       user_agent, request_id)
     select $1, 'token', (select id from tokens where organization_id = $1 limit 1), 'createFolder', 'folder',
       'folder' || number, 'success', '203.0.113.7', 'reelkeep-sdk/1.0', gen_random_uuid()::text
     from generate_series(1, $2::integer) as number`,
    [organizationId, ENTRIES],
  )
  return seconds(async () => {
    for (let left = 1; left > 0; ) {
      const { rows } = await client.query<{ sealed: number }>('select seal_audit_entries(1000) as sealed')
      left = rows[0]?.sealed ?? 0
    }
  })
}

/** Runs a command of the CLI against the API of the benchmark. */
function cli(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'cli/src/main.ts'), ...args], {
    env: {
      ...commandEnvironment,
      ...{ REELKEEP_URL: service.baseUrl, REELKEEP_ORGANIZATION: organizationId, REELKEEP_TOKEN: service.caller.token },
    },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
}

try {
  const sealing = await fill()
  await using owner = openOwner(env)
  const db = owner.forOrganization(organizationId as OrganizationId)
  const verifying = await seconds(async () => {
    const { broken, checked } = await verifyEntries(db)
    if (broken || checked < ENTRIES) throw new Error(`Verified ${checked} entries: ${JSON.stringify(broken)}`)
  })
  const file = join(folder, 'audit.ndjson')
  const exporting = await seconds(async () => cli('audit', 'export', file))
  const offline = await seconds(async () => cli('audit', 'verify', file))
  const row = (work: string, taken: number) => ({
    work,
    seconds: taken.toFixed(1),
    'µs per entry': ((taken * 1e6) / ENTRIES).toFixed(1),
  })
  printTable([
    row('seal', sealing),
    row('verify in the database (admin verify-audit)', verifying),
    row('export to a file (reelkeep audit export)', exporting),
    row('verify the file (reelkeep audit verify)', offline),
  ])
  process.stdout.write(`\n${ENTRIES} entries. Goal: verified in under ${SECONDS_MAX} s per million.\n`)
  const perMillion = (taken: number) => (taken * 1e6) / ENTRIES
  checkGoals([
    { name: 'seconds to verify a million entries in the database', value: perMillion(verifying), max: SECONDS_MAX },
    { name: 'seconds to verify a million exported entries', value: perMillion(offline), max: SECONDS_MAX },
  ])
} finally {
  rmSync(folder, { recursive: true })
  await client.end()
}
