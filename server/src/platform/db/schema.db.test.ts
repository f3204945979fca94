/**
 * Holds the TypeScript `Schema` and the real database together. Types are gone at run time, so the compiler
 * itself is asked: for every column that Postgres has, a line is written that compiles only if `Schema`
 * says the same of it.
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
       -- Postgres does not say of a view's column whether it may be null; the one beneath it does.
       not coalesce(origin.attnotnull, a.attnotnull) as "isNullable"
     from pg_attribute a
     join pg_class c on c.oid = a.attrelid
     left join pg_attribute origin on c.relkind = 'v' and origin.attname = a.attname
       and origin.attrelid = (select refobjid from pg_depend d join pg_rewrite r on r.oid = d.objid
         where r.ev_class = c.oid and d.refobjsubid > 0
           -- Views of what is due leave out what is held; they show nothing of it.
           and d.refobjid <> 'held_organizations'::regclass limit 1)
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
       and a.attnum > 0 and not a.attisdropped and c.relname <> 'schema_migrations'
     order by c.relname, a.attnum`,
  )
})

/** What a column of each kind is read as; one of a kind not listed here needs a line. */
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
  'const is = <_Fact extends true>() => {}',
]

/** Each line states one fact; its text is what a failure shows. */
function factsOf(found: readonly Column[]): string[] {
  const tables = Map.groupBy(found, ({ table }) => table)
  const union = (names: Iterable<string>) => [...names].map((name) => `'${name}'`).join(' | ')
  return [
    `is<Same<keyof Schema, ${union(tables.keys())}>>()`,
    ...[...tables].map(
      ([table, own]) =>
        `is<Same<keyof Schema['${table}'], ${union(own.map(({ column }) => column))}>>()`,
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

/** The facts that the compiler refutes. */
async function refutedBy(facts: readonly string[]): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'schema-'))
  try {
    await writeFile(join(directory, 'facts.ts'), [...preamble, ...facts, ''].join('\n'))
    const config = {
      extends: `${root}tsconfig.base.json`,
      compilerOptions: { typeRoots: [`${root}node_modules/@types`], noUnusedLocals: false },
      files: ['facts.ts'],
    }
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
    const output = await compile(directory)
    const lines = [...output.matchAll(/^facts\.ts[(:](\d+)/gm)].map(([, line]) => Number(line))
    if (output !== '' && lines.length === 0) throw new Error(output)
    // Lines count from 1. An error in the preamble is a fault of this test: the whole output shows it.
    return [...new Set(lines)].map((line) => facts[line - 1 - preamble.length] ?? output)
  } finally {
    await rm(directory, { recursive: true })
  }
}

function compile(directory: string): Promise<string> {
  const tsc = join(root, 'node_modules/.bin/tsc')
  return new Promise((resolve) => {
    execFile(tsc, ['-p', '.', '--pretty', 'false'], { cwd: directory }, (_, out, errors) =>
      resolve(out + errors),
    )
  })
}

describe('Schema', () => {
  it('names exactly the tables and columns there are, what they hold and whether they may be null', async () => {
    expect(columns.length).toBeGreaterThan(20)
    expect(await refutedBy(factsOf(columns))).toEqual([])
  })

  it('would be found wrong by a table or column more, one less, another type or a null', async () => {
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
      const [fact] = await refutedBy(factsOf(changed))
      expect(fact).toMatch(/^is</)
      expect(fact).toContain(clue)
    }
  })
})
