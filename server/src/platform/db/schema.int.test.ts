/**
 * Compares the TypeScript `Schema` with the real database. Types do not exist at run time, so the test
 * generates one line per column that compiles only if `Schema` declares the same type, and runs the compiler.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, Superuser } from '@reelkeep/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

type Column = { table: string; column: string; type: string; isNullable: boolean }

let columns: Column[]
beforeAll(async () => {
  await using superuser = await Superuser.open()
  columns = await superuser.query<Column>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
       -- Postgres does not record whether a view's column may be null; the underlying column does.
       not coalesce(origin.attnotnull, a.attnotnull) as "isNullable"
     from pg_attribute a
     join pg_class c on c.oid = a.attrelid
     left join pg_attribute origin on c.relkind = 'v' and origin.attname = a.attname
       and origin.attrelid = (select refobjid from pg_depend d join pg_rewrite r on r.oid = d.objid
         where r.ev_class = c.oid and d.refobjsubid > 0
           -- Views of due rows exclude suspended organizations; they select no column of that table.
           and d.refobjid <> 'held_organizations'::regclass limit 1)
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
       and a.attnum > 0 and not a.attisdropped and c.relname <> 'schema_migrations'
     order by c.relname, a.attnum`,
  )
})

/** The TypeScript type of each Postgres type. */
const readAs: Record<string, string> = {
  text: 'string',
  uuid: 'string',
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  boolean: 'boolean',
  'double precision': 'number',
  jsonb: 'object',
  bytea: 'Buffer',
  pg_lsn: 'string',
  'text[]': 'string[]',
  'integer[]': 'number[]',
  'timestamp with time zone': 'Timestamp',
}

const preamble = [
  `import type { Timestamp } from '${root}server/src/kernel/time.ts'`,
  `import type { Schema } from '${root}server/src/platform/db/schema.ts'`,
  'type Read<Column> = Column extends { readonly __select__: infer Selected } ? Selected : Column',
  'type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false',
  'type Fits<A, B> = [NonNullable<A>] extends [B] ? true : false',
  'const is = <_Assertion extends true>() => {}',
]

/** Returns one type assertion per line; a failure shows the line. */
function assertionsFor(found: readonly Column[]): string[] {
  const tables = Map.groupBy(found, ({ table }) => table)
  const union = (names: Iterable<string>) => [...names].map((name) => `'${name}'`).join(' | ')
  return [
    `is<Same<keyof Schema, ${union(tables.keys())}>>()`,
    ...[...tables].map(
      ([table, own]) => `is<Same<keyof Schema['${table}'], ${union(own.map(({ column }) => column))}>>()`,
    ),
    ...found.flatMap(({ table, column, type, isNullable }) => {
      const read = `Read<Schema['${table}']['${column}']>`
      return [
        `is<Fits<${read}, ${readAs[type] ?? `'no kind for ${type}'`}>>()`,
        `is<Same<null extends ${read} ? true : false, ${isNullable}>>()`,
      ]
    }),
  ]
}

/** The assertions that do not compile. */
async function failedAssertions(assertions: readonly string[]): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'schema-'))
  try {
    await writeFile(join(directory, 'assertions.ts'), [...preamble, ...assertions, ''].join('\n'))
    const config = {
      extends: `${root}tsconfig.base.json`,
      compilerOptions: { typeRoots: [`${root}node_modules/@types`], noUnusedLocals: false },
      files: ['assertions.ts'],
    }
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
    const output = await compile(directory)
    const lines = [...output.matchAll(/^assertions\.ts[(:](\d+)/gm)].map(([, line]) => Number(line))
    if (output !== '' && lines.length === 0) throw new Error(output)
    // The compiler counts lines from 1. An error in the preamble is a bug of this test: return the whole output.
    return [...new Set(lines)].map((line) => assertions[line - 1 - preamble.length] ?? output)
  } finally {
    await rm(directory, { recursive: true })
  }
}

function compile(directory: string): Promise<string> {
  const tsc = join(root, 'node_modules/.bin/tsc')
  return new Promise((resolve) => {
    execFile(tsc, ['-p', '.', '--pretty', 'false'], { cwd: directory }, (_, out, errors) => resolve(out + errors))
  })
}

describe('Schema', () => {
  it('declares exactly the tables and columns of the database, with their types and nullability', async () => {
    expect(columns.length).toBeGreaterThan(20)
    expect(await failedAssertions(assertionsFor(columns))).toEqual([])
  })

  it('does not match if a table or column is missing or extra, or if a type or nullability differs', async () => {
    const [first, ...others] = columns as [Column, ...Column[]]
    const more = { table: 'folders', column: 'colour', type: 'text', isNullable: false }
    const changes: [Column[], string][] = [
      [[more, ...columns], `'colour'`],
      [[{ ...more, table: 'tags' }, ...columns], `'tags'`],
      [others, `keyof Schema['${first.table}']`],
      [[{ ...first, type: 'integer[]' }, ...others], `['${first.column}']>, number[]`],
      [[{ ...first, isNullable: !first.isNullable }, ...others], 'null extends'],
    ]
    for (const [changed, clue] of changes) {
      const [failed] = await failedAssertions(assertionsFor(changed))
      expect(failed).toMatch(/^is</)
      expect(failed).toContain(clue)
    }
  })
})
