/**
 * SQL that is compiled once, when its module loads, and only bound when it runs.
 *
 * A store describes a statement with Kysely, which checks tables, columns and row types, but building and
 * compiling such a description costs as much as a small query. So the description is built a single
 * time, with a placeholder in each parameter's place; what remains per call is to lay the values out in
 * order. The name makes Postgres prepare it once a connection.
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
import type { Schema } from './schema.ts'

/** Describes SQL; it has no connection and cannot run anything. */
export const build = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/** One statement with its values: what a connection runs. */
export type Query<Row> = {
  /** Under which a connection keeps it prepared; empty if it is to be planned each time. */
  readonly name: string
  readonly text: string
  readonly values: (organizationId: OrganizationId) => readonly unknown[]
  /** It waits for a lock or reads many rows, so nobody else's query may stand behind it. */
  readonly mayTakeLong?: boolean
  /** Once it is committed, whoever watches the database for news of its organization is told. */
  readonly isNews?: boolean
  /** Never set; it carries the type of a row. */
  readonly row?: Row
}

export type Description<Row> = RawBuilder<Row> | { compile(): CompiledQuery<Row> }

/** Every statement may name the organization it runs for; the connection supplies it. */
export type Given<Params> = Params & { readonly organizationId: OrganizationId }

export function statement<Params extends object, Row>(
  describe: (params: Given<Params>) => Description<Row>,
): (params: Params) => Query<Row> {
  const { text, name, slots } = compile(describe(placeholders as Given<Params>))
  const fill = (slot: unknown, given: Record<string, unknown>) =>
    slot instanceof Placeholder ? given[slot.parameter] : slot
  return (params) => ({
    name,
    text,
    values: (organizationId) => {
      const given = { ...params, organizationId }
      return slots.map((slot) => fill(slot, given))
    },
  })
}

type Prepared<Arguments extends unknown[], Row> = (...given: Arguments) => Query<Row>

/**
 * Has Postgres plan the statement each time it runs, for the values of that run. For searches: what is the
 * best way to a rare value is the worst to a common one.
 */
export function planAnew<Arguments extends unknown[], Row>(
  prepared: Prepared<Arguments, Row>,
): Prepared<Arguments, Row> {
  return (...given) => ({ ...prepared(...given), name: '', mayTakeLong: true })
}

/** Says of a statement that it may wait for a lock or read many rows: it does not share a connection. */
export function takesLong<Arguments extends unknown[], Row>(
  prepared: Prepared<Arguments, Row>,
): Prepared<Arguments, Row> {
  return (...given) => ({ ...prepared(...given), mayTakeLong: true })
}

/** Says of a statement that it brings news: see `Database.onNews`. */
export function announcing<Arguments extends unknown[], Row>(
  prepared: Prepared<Arguments, Row>,
): Prepared<Arguments, Row> {
  return (...given) => ({ ...prepared(...given), isNews: true })
}

class Placeholder {
  readonly parameter: string
  constructor(parameter: string) {
    this.parameter = parameter
  }
}

const placeholders = new Proxy({}, { get: (_, parameter) => new Placeholder(String(parameter)) })

function compile(description: Description<unknown>) {
  const { sql: text, parameters: slots } = description.compile(build)
  return { text, name: nameOf(text), slots }
}

/** Under which connections keep a statement prepared: the same text, the same name. */
export function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
