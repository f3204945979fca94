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
import type { Connection, Submittable } from 'pg'
import { parserFor, toWire } from './wire-types.ts'

export type BatchStatement = {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

type Row = Record<string, unknown>
type Column = { readonly name: string; readonly parse: (text: string) => unknown }
type FieldMessage = { fields: { name: string; dataTypeID: number }[] }

/** What of `pg`'s connection the protocol needs; its published types leave these out. */
type Wire = Connection & {
  /** By name. `pg` enters a statement here when the server says that it was parsed. */
  parsedStatements: Record<string, string>
  stream: { cork(): void; uncork(): void }
  parse(query: { name: string; text: string }): void
  bind(config: { statement: string; values: unknown[]; valueMapper(value: unknown): unknown }): void
  describe(message: { type: 'P'; name: string }): void
  execute(config: object): void
  sync(): void
}

/** The columns of each statement that a connection has described, by the statement's name. */
const describedOn = new WeakMap<object, Map<string, readonly Column[]>>()

export class Batch implements Submittable {
  readonly #statements: readonly BatchStatement[]
  readonly #rows: Row[][] = []
  #described = new Map<string, readonly Column[]>()
  #columns: readonly Column[] = []
  #failed = false
  /** `pg` wraps this to enforce its query timeout. */
  callback: (error: Error | null, rows?: Row[][]) => void

  constructor(
    statements: readonly BatchStatement[],
    callback: (error: Error | null, rows?: Row[][]) => void,
  ) {
    this.#statements = statements
    this.callback = callback
  }

  /** With `text`, the statement whose answer is awaited: `pg` remembers it as parsed. */
  get name(): string | undefined {
    return this.#current?.name
  }

  get text(): string | undefined {
    return this.#current?.text
  }

  get #current(): BatchStatement | undefined {
    return this.#statements[this.#rows.length - 1]
  }

  submit(connection: Connection): void {
    const wire = connection as Wire
    this.#described = describedOn.get(connection) ?? new Map()
    describedOn.set(connection, this.#described)
    const parsing = new Set<string>()
    wire.stream.cork()
    try {
      for (const { name, text, values } of this.#statements) {
        if (!wire.parsedStatements[name] && !parsing.has(name)) wire.parse({ name, text })
        if (name) parsing.add(name)
        wire.bind({ statement: name, values: [...values], valueMapper: toWire })
        if (!this.#described.has(name)) wire.describe({ type: 'P', name: '' })
        wire.execute({})
      }
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
    this.#awaitNext()
  }

  handleRowDescription({ fields }: FieldMessage): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserFor(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Row = {}
    for (let index = 0; index < this.#columns.length; index++) {
      const column = this.#columns[index] as Column
      const text = fields[index] ?? null
      row[column.name] = text === null ? null : column.parse(text)
    }
    this.#rows.at(-1)?.push(row)
  }

  handleCommandComplete(): void {
    if (this.name) this.#described.set(this.name, this.#columns)
    this.#awaitNext()
  }

  handleError(error: Error): void {
    this.#failed = true
    this.callback(error)
  }

  handleReadyForQuery(): void {
    if (!this.#failed) this.callback(null, this.#rows)
  }

  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}

  #awaitNext(): void {
    const next = this.#statements[this.#rows.length]
    if (!next) return
    this.#columns = this.#described.get(next.name) ?? []
    this.#rows.push([])
  }
}
