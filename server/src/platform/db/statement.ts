/**
 * SQL that is compiled once, when its module loads; a call only binds the values.
 *
 * A store describes a statement with Kysely, which checks tables, columns and row types, but building and
 * compiling the description costs as much as a small query. So it is built once, with a placeholder for each
 * parameter, and a call only puts the values in order. Postgres prepares it by name, once per connection.
 */
import { createHash } from 'node:crypto'
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { DB } from './generated/schema.ts'

/** Kysely instance that only builds SQL; it has no connection. */
export const build = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/** A statement with its values. */
export type Query<Row> = {
  /** Name of the prepared statement; empty if it is planned on every run. */
  readonly name: string
  readonly text: string
  readonly values: (organizationId: OrganizationId) => readonly unknown[]
  /** Whether the statement may wait for a lock or read many rows, so that no other query may queue behind it. */
  readonly needsDedicatedConnection?: boolean
  /** Whether the callback of `Database.onCommitNotify` runs after the commit. */
  readonly notifies?: boolean
  /** Whether the statement can change rows. */
  readonly writes?: boolean
  /** The resource that the statement creates. */
  readonly creates?: CreatedObject
  /** Never set; only declares the row type. */
  readonly row?: Row
}

/** A resource that a statement creates, for the audit log. */
export type CreatedObject = { readonly type: string; readonly id: string }

export type Description<Row> = RawBuilder<Row> | { compile(): CompiledQuery<Row> }

/** Parameters plus the id of the organization that the statement runs for, filled in by the connection. */
export type Given<Params> = Params & { readonly organizationId: OrganizationId }

export function statement<Params extends object, Row>(
  describe: (params: Given<Params>) => Description<Row>,
): (params: Params) => Query<Row> {
  const { text, name, parameters } = compile(describe(placeholders as Given<Params>))
  const writes = writingForm.test(text)
  const fill = (parameter: unknown, given: Record<string, unknown>) =>
    parameter instanceof Placeholder ? given[parameter.parameter] : parameter
  return (params) => ({
    name,
    text,
    writes,
    values: (organizationId) => {
      const given = { ...params, organizationId }
      return parameters.map((parameter) => fill(parameter, given))
    },
  })
}

/**
 * SQL that changes rows of an organization. `for update` only locks them, and suspensions and audit entries are no part
 * of its data.
 */
const writingForm =
  /\b(?:(?:insert\s+into|delete\s+from)\s+(?!"?(?:held_org|audit_))|update\s+(?!"?held_org)\S+(?:\s+(?:as\s+)?\w+)?\s+set\b)/i

type Prepared<Arguments extends unknown[], Row> = (...given: Arguments) => Query<Row>

/**
 * Makes Postgres plan the statement on every run, for the actual values. For searches: the best plan for a
 * rare value is the worst for a common one.
 */
export function customPlan<Arguments extends unknown[], Row>(
  prepared: Prepared<Arguments, Row>,
): Prepared<Arguments, Row> {
  return (...given) => ({ ...prepared(...given), name: '', needsDedicatedConnection: true })
}

/** Marks a statement that may wait for a lock or read many rows: it does not share a connection. */
export function dedicatedConnection<Arguments extends unknown[], Row>(
  prepared: Prepared<Arguments, Row>,
): Prepared<Arguments, Row> {
  return (...given) => ({ ...prepared(...given), needsDedicatedConnection: true })
}

/** Marks a statement whose commit is reported: see `Database.onCommitNotify`. */
export function notifying<Arguments extends unknown[], Row>(
  prepared: Prepared<Arguments, Row>,
): Prepared<Arguments, Row> {
  return (...given) => ({ ...prepared(...given), notifies: true })
}

/** Marks a statement that creates a resource, so that the audit log has its id: the parameter `key`. */
export function creating<Key extends string, Params extends { readonly [key in Key]: string }, Row>(
  type: string,
  key: Key,
  prepared: Prepared<[params: Params], Row>,
): Prepared<[params: Params], Row> {
  return (params) => ({ ...prepared(params), creates: { type, id: params[key] } })
}

class Placeholder {
  readonly parameter: string
  constructor(parameter: string) {
    this.parameter = parameter
  }
}

const placeholders = new Proxy({}, { get: (_, parameter) => new Placeholder(String(parameter)) })

function compile(description: Description<unknown>) {
  const { sql: text, parameters } = description.compile(build)
  // Placeholders have no properties, so `given.cursor.id` is undefined and would be sent as null.
  if (parameters.includes(undefined)) throw new Error(`A parameter of this statement is undefined: ${text}`)
  return { text, name: statementName(text), parameters }
}

/** Name of the prepared statement, a hash of its text. */
export function statementName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
