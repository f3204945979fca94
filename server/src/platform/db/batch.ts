/**
 * Several statements in one message and one transaction.
 *
 * `pg` sends one statement, waits, and sends the next. Setting the organization for row-level security
 * that way would cost every request a second round trip, or four with BEGIN and COMMIT. The protocol
 * allows better: statements that are sent together, up to one Sync, run one after the other in a single
 * implicit transaction. Each sees what the ones before it did; if one fails, none has happened.
 *
 * A statement is parsed and described the first time a connection meets it; after that it is only bound
 * and executed.
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
/** What each statement answered, in their order. */
export type Rows = Row[][]
type Column = { readonly name: string; readonly parse: (text: string) => unknown }
type FieldMessage = { fields: { name: string; dataTypeID: number }[] }

/** What of `pg`'s connection the protocol needs; its published types leave it out. */
type Wire = Connection & {
  /** By name. `pg` enters a statement here when the server says that it was parsed. */
  parsedStatements: Record<string, string>
  stream: { write(bytes: Buffer): void }
}

/** The columns of each statement that a connection has described, by the statement's name. */
const describedOn = new WeakMap<object, Map<string, readonly Column[]>>()

/** A kind of `pg`'s own query, because only those may follow each other on a connection unanswered. */
export class Batch extends pg.Query {
  readonly #statements: readonly BatchStatement[]
  readonly #rows: Rows = []
  #described = new Map<string, readonly Column[]>()
  #columns: readonly Column[] = []
  #fault: Error | undefined
  #isAnswered = false
  /** With `text`, the statement whose answer is awaited: `pg` remembers it as parsed. */
  name = ''
  text = ''
  /** `pg` wraps this to enforce its query timeout. */
  callback: (error: Error | null, rows?: Rows) => void

  constructor(
    statements: readonly BatchStatement[],
    callback: (error: Error | null, rows?: Rows) => void,
  ) {
    super('')
    this.#statements = statements
    this.callback = callback
  }

  override submit = (connection: Connection): void => {
    const wire = connection as Wire
    this.#described = describedOn.get(connection) ?? new Map()
    describedOn.set(connection, this.#described)
    // One buffer and one write: a system call for each of a dozen small messages costs more than the query.
    wire.stream.write(Buffer.concat(this.#messages(wire)))
    this.#awaitNext()
  }

  #messages({ parsedStatements }: Wire): Buffer[] {
    const messages: Buffer[] = []
    const parsing = new Set<string>()
    for (const { name, text, values } of this.#statements) {
      if (!parsedStatements[name] && !parsing.has(name))
        messages.push(serialize.parse({ name, text }))
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
    } catch (fault) {
      // A value we cannot read fails the query, and the rest of its answer is passed over.
      this.#fault ??= fault as Error
    }
  }

  handleCommandComplete(): void {
    if (this.name) this.#described.set(this.name, this.#columns)
    this.#awaitNext()
  }

  handleError(error: Error): void {
    this.#isAnswered = true
    this.callback(error)
  }

  handleReadyForQuery(): void {
    if (!this.#isAnswered) this.callback(this.#fault ?? null, this.#rows)
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

/** Whether a connection has parsed all of these, so that they can be sent without waiting for it. */
export function arePrepared(
  connection: Connection,
  statements: readonly BatchStatement[],
): boolean {
  const { parsedStatements } = connection as Wire
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
