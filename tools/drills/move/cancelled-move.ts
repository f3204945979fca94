/** Kills a migration in the middle and cancels it. Both cells must then be in their previous state. */
import { Superuser } from '@reelkeep/testkit'
import type { DrillReport } from '../support/drill-report.ts'
import { runAdmin } from './cell-commands.ts'
import { type CellName, type MoveFixture, otherCell } from './move-fixture.ts'

type CancelOptions = {
  readonly organizationId: string
  readonly from: CellName
  /** Text in the migrator's output line after which it is killed. */
  readonly after: string
}

export type CancelledMove = {
  readonly after: string
  /** Time span from the start of the migrator until the organization was in its previous state. */
  readonly span: readonly [number, number]
  readonly wasSuspended: boolean
  /**
   * Whether the migration could no longer be cancelled, because everything had arrived in the new cell before the kill.
   */
  readonly wasTooLate: boolean
}

export async function cancelMove(
  fixture: MoveFixture,
  report: DrillReport,
  { organizationId, from, after }: CancelOptions,
): Promise<CancelledMove> {
  const { cellsFile } = fixture
  const startedAt = Date.now()
  const args = ['move-organization', organizationId, '--to', otherCell(from)]
  const killed = await runAdmin(cellsFile, args, { kill: { after, milliseconds: 0 } })
  const cancelled = await runAdmin(cellsFile, ['cancel-move', organizationId])
  const span = [startedAt, Date.now()] as const
  const wasSuspended = killed.lines.some((line) => line.includes('is suspended in cell'))
  const wasTooLate = cancelled.code !== 0
  const what = `cancelled after "${after}"`
  if (wasTooLate) {
    const isPrinted = cancelled.lines.some((line) => /has arrived|is not being moved/.test(line))
    report.check(what, 'too late, and the command says so', { isPassed: isPrinted, details: cancelled.lines })
  } else report.checkNone(`${what}: left behind`, await findLeftovers(fixture, organizationId, from))
  return { after, span, wasSuspended, wasTooLate }
}

async function findLeftovers(fixture: MoveFixture, id: string, from: CellName): Promise<string[]> {
  const { cell, isMoving } = fixture.listed(id)
  const found = cell === from ? [] : [`the cells file has it in cell ${cell}`]
  if (isMoving) found.push('the cells file has it as being moved')
  for (const [name, { env }] of Object.entries(fixture.cells)) {
    await using superuser = await Superuser.open(env)
    const leftovers = await superuser.query<{ what: string }>(
      `select 'publication ' || pubname as what from pg_publication
       union all select 'subscription ' || subname from pg_subscription
       union all select 'slot ' || slot_name from pg_replication_slots
       union all select 'hold: ' || why from held_organizations where organization_id = $1`,
      [id],
    )
    const rows = name === from ? [] : await rowsOf(superuser, id)
    const all = [...leftovers.map(({ what }) => what), ...rows]
    found.push(...all.map((one) => `${one}, in ${name}`))
  }
  return found
}

/** Tables with rows of the organization. */
async function rowsOf(superuser: Superuser, id: string): Promise<string[]> {
  const tables = await superuser.query<{ name: string }>(
    `select relation.oid::regclass::text as name from pg_class relation
     where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace and exists (
       select from pg_attribute where attrelid = relation.oid and attname = 'organization_id' and not attisdropped)`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await superuser.query(`select from ${name} where organization_id = $1`, [id])
    if (rows.length > 0) found.push(`${rows.length} rows of ${name}`)
  }
  return found
}
