/**
 * Several statements in one message and one transaction.
 *
 * `pg` sends one statement, waits for its result, and sends the next. Setting the organization for row-level
 * security that way would cost every request a second round trip, or four with BEGIN and COMMIT. In the
 * extended protocol, all statements before one Sync run in order in a single implicit transaction: each sees
 * the effects of the ones before it, and if one fails, all are rolled back.
 *
 * A connection parses and describes a statement on its first use; later uses only bind and execute it.
 */
import pg, { type Connection } from 'pg'
import { serialize } from 'pg-protocol'
import { parserFor, toWire } from './wire-types.ts'

export type BatchStatement = {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

type Row = Record<string, unknown>
/** The rows of each statement, in the order of the statements. */
export type Rows = Row[][]
type Column = { readonly name: string; readonly parse: (text: string) => unknown }
type FieldMessage = { fields: { name: string; dataTypeID: number }[] }

/** `pg`'s connection with the members that its published types leave out. */
type PgConnection = Connection & {
  /** Texts of parsed statements by name. `pg` adds a statement when the server confirms that it was parsed. */
  parsedStatements: Record<string, string>
  stream: { write(bytes: Buffer): void }
}

/** Per connection: the columns of each described statement, by the statement's name. */
const describedColumns = new WeakMap<object, Map<string, readonly Column[]>>()

/** Extends `pg.Query`, because `pg` pipelines only its own queries on a connection. */
export class Batch extends pg.Query {
  readonly #statements: readonly BatchStatement[]
  readonly #rows: Rows = []
  #described = new Map<string, readonly Column[]>()
  #columns: readonly Column[] = []
  #error: Error | undefined
  #isSettled = false
  /** Name and text of the statement whose result comes next; `pg` records it as parsed. */
  name = ''
  text = ''
  /** `pg` wraps this callback to enforce its query timeout. */
  callback: (error: Error | null, rows?: Rows) => void

  constructor(statements: readonly BatchStatement[], callback: (error: Error | null, rows?: Rows) => void) {
    super('')
    this.#statements = statements
    this.callback = callback
  }

  override submit = (connection: Connection): void => {
    const pgConnection = connection as PgConnection
    this.#described = describedColumns.get(connection) ?? new Map()
    describedColumns.set(connection, this.#described)
    // Sends all messages with one write: a system call per message would cost more than the query.
    pgConnection.stream.write(Buffer.concat(this.#messages(pgConnection)))
    this.#awaitNext()
  }

  #messages({ parsedStatements }: PgConnection): Buffer[] {
    const messages: Buffer[] = []
    const parsing = new Set<string>()
    for (const { name, text, values } of this.#statements) {
      if (!parsedStatements[name] && !parsing.has(name)) messages.push(serialize.parse({ name, text }))
      if (name) parsing.add(name)
      messages.push(serialize.bind({ statement: name, values: values.map(toWire) }))
      if (!this.#described.has(name)) messages.push(serialize.describe({ type: 'P' }))
      messages.push(serialize.execute())
    }
    messages.push(serialize.sync())
    return messages
  }

  handleRowDescription({ fields }: FieldMessage): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserFor(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    try {
      this.#rows.at(-1)?.push(toRow(this.#columns, fields))
    } catch (error) {
      // A value that cannot be parsed fails the query; its remaining rows are ignored.
      this.#error ??= error as Error
    }
  }

  handleCommandComplete(): void {
    if (this.name) this.#described.set(this.name, this.#columns)
    this.#awaitNext()
  }

  handleError(error: Error): void {
    this.#isSettled = true
    this.callback(error)
  }

  handleReadyForQuery(): void {
    if (!this.#isSettled) this.callback(this.#error ?? null, this.#rows)
  }

  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}

  #awaitNext(): void {
    const next = this.#statements[this.#rows.length]
    if (!next) return
    this.name = next.name
    this.text = next.text
    this.#columns = this.#described.get(next.name) ?? []
    this.#rows.push([])
  }
}

/** Whether the connection has parsed all these statements, so that they can be pipelined. */
export function arePrepared(connection: Connection, statements: readonly BatchStatement[]): boolean {
  const { parsedStatements } = connection as PgConnection
  return statements.every(({ name }) => parsedStatements[name] !== undefined)
}

function toRow(columns: readonly Column[], fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index] as Column
    const text = fields[index] ?? null
    row[column.name] = text === null ? null : column.parse(text)
  }
  return row
}
