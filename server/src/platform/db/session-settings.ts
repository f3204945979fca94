/** The settings that policies and triggers of the migrations read. They end with the transaction. */
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Limits } from '../../kernel/limits.ts'
import type { ChangeRecord } from './change-record.ts'
import type { BatchStatement } from './connections/batch.ts'
import { type Query, statementName } from './statement.ts'

/** The session settings that a transaction runs with. */
export type TenantSession = {
  readonly organizationId: OrganizationId
  readonly kind: 'full' | 'request' | 'migration'
  readonly limits?: Limits | undefined
  readonly record?: ChangeRecord | undefined
}

export const seeingTrash = (session: TenantSession): TenantSession =>
  session.kind === 'request' ? { ...session, kind: 'full' } : session

export const plain = (text: string): BatchStatement => ({ name: statementName(text), text, values: [] })
/** A statement that sets the organization and other settings until the transaction ends. Returns no rows. */
const setting = (settings: Readonly<Record<string, string>>, parameters: readonly string[] = []): BatchStatement => {
  const others = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`)
  const given = parameters.map((name, index) => `set_config('${name}', $${index + 2}, true)`)
  const all = [`set_config('app.organization_id', $1, true)`, ...others, ...given]
  return plain(`select where ${all.map((set) => `${set} is null`).join(' or ')}`)
}

// `parallel_setup_cost` 0 lets Postgres use parallel workers for a large search.
const customPlanSettings = { plan_cache_mode: 'force_custom_plan', parallel_setup_cost: '0' }

/** The settings of each kind, read by policies and triggers of the migrations. */
const settingsOfKind: Record<TenantSession['kind'], Readonly<Record<string, string>>> = {
  full: { 'app.hides_trash': 'no' },
  request: { 'app.hides_trash': 'yes' },
  migration: { 'app.is_mover': 'yes' },
}

/** A handle without limits does not set them, except in a transaction that had some before. */
type LimitState = 'never' | 'limited' | 'lifted'

const limitSettings: Record<LimitState, Readonly<Record<string, string>>> = {
  never: {},
  limited: { 'app.is_limited': 'yes' },
  lifted: { 'app.is_limited': 'no' },
}

const limitParameters = ['app.folder_uuid', 'app.created_by']

/** The value of a limit that the principal does not have. */
const ANY = '*'

const statementsOf = (settings: Readonly<Record<string, string>>): Record<LimitState, BatchStatement> => ({
  never: setting(settings),
  limited: setting({ ...settings, ...limitSettings.limited }, limitParameters),
  lifted: setting({ ...settings, ...limitSettings.lifted }),
})

const sessionStatements = {
  full: statementsOf(settingsOfKind.full),
  request: statementsOf(settingsOfKind.request),
  migration: statementsOf(settingsOfKind.migration),
}
const customPlanStatements = {
  full: statementsOf({ ...settingsOfKind.full, ...customPlanSettings }),
  request: statementsOf({ ...settingsOfKind.request, ...customPlanSettings }),
  // A migration between cells always uses generic plans.
  migration: sessionStatements.migration,
}

export const usesCustomPlan = (queries: readonly Query<unknown>[]) => queries.some(({ name }) => name === '')

/** Returns the statement that sets the session settings. `wasLimited` if the transaction has had limits. */
export function sessionStatement(
  { organizationId, kind, limits }: TenantSession,
  queries: readonly Query<unknown>[],
  wasLimited = false,
): BatchStatement {
  const statements = (usesCustomPlan(queries) ? customPlanStatements : sessionStatements)[kind]
  if (!limits) return { ...statements[wasLimited ? 'lifted' : 'never'], values: [organizationId] }
  return { ...statements.limited, values: [organizationId, limits.folderUuid ?? ANY, limits.createdBy ?? ANY] }
}
