import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import type { AuditEntry, ExportAuditEntriesQuery, ListAuditEntriesQuery } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { instant } from '../../arguments/times.ts'
import { type Cli, connect } from '../../cli.ts'
import type { Column } from '../../terminal/table.ts'
import { relativeTime } from '../../terminal/times.ts'
import { verify } from './verify.ts'

export const auditCommand = (cli: Cli): Command =>
  new Command('audit')
    .description('Show who did what in the organization')
    .addCommand(list(cli))
    .addCommand(exportEntries(cli))
    .addCommand(head(cli))
    .addCommand(verify(cli))

type RangeOptions = { readonly from?: string; readonly to?: string }

const withRange = (command: Command): Command =>
  command
    .option('--from <time>', 'Only entries from this time on, such as 2026-11-01', instant)
    .option('--to <time>', 'Only entries before this time', instant)

const rangeOf = ({ from, to }: RangeOptions) => ({
  ...(from && { created_after: from }),
  ...(to && { created_before: to }),
})

type FilterOptions = ListOptions &
  RangeOptions & {
    readonly actor?: string
    readonly action?: string
    readonly object?: string
    readonly outcome?: 'success' | 'refused'
  }

const list = (cli: Cli) =>
  withRange(withListOptions(new Command('list')))
    .description('List entries of the audit log, newest first')
    .option('--actor <id>', 'Only entries of this token or member')
    .option('--action <action>', 'Only this action, such as createFolder')
    .option('--object <id>', 'Only entries about the asset, folder or other object with this id')
    .addOption(new Option('--outcome <outcome>', 'Only this outcome').choices(['success', 'refused']))
    .action(async ({ all, limit, actor, action, object, outcome, ...range }: FilterOptions) => {
      const query: ListAuditEntriesQuery = {
        ...rangeOf(range),
        ...(limit !== undefined && { limit }),
        ...(actor && { actor }),
        ...(action && { action }),
        ...(object && { object }),
        ...(outcome && { outcome }),
      }
      const entries = (await connect(cli)).audit.list(query)
      await printList(cli, entries, { ...(all && { all }), plural: 'entries', columns })
    })

const columns: readonly Column<AuditEntry>[] = [
  { title: 'number', cell: ({ number }) => number, isNumber: true },
  { title: 'time', cell: ({ created_at }, { now }) => relativeTime(created_at, now) },
  { title: 'actor', cell: ({ actor }) => actor.name ?? actor.id ?? actor.kind, mayShrink: true },
  { title: 'action', cell: ({ action }) => action },
  {
    title: 'object',
    cell: ({ object }) => [object.type, object.id].filter(Boolean).join(' '),
    mayShrink: true,
    rank: 1,
  },
  { title: 'outcome', cell: ({ outcome, error_code }) => error_code ?? outcome },
  { title: 'address', cell: ({ address }) => address ?? '', rank: 2 },
]

const exportEntries = (cli: Cli) =>
  withRange(new Command('export'))
    .description('Write the audit log to a file, one JSON object per line')
    .argument('<file>', 'File to write')
    .action(async (file: string, range: RangeOptions) => {
      const query: ExportAuditEntriesQuery = rangeOf(range)
      const entries = (await connect(cli)).audit.export(query, { signal: cli.interrupted })
      let count = 0
      const lines = async function* () {
        for await (const entry of entries) {
          count++
          yield `${JSON.stringify(entry)}\n`
        }
      }
      await pipeline(Readable.from(lines()), createWriteStream(file))
      cli.output().result({ file, entries: count }, () => `Exported ${count.toLocaleString('en')} entries.`)
    })

const head = (cli: Cli) =>
  new Command('head').description('Show the number and hash of the last entry').action(async () => {
    const end = await (await connect(cli)).audit.readHead()
    cli.output().result(end, () => `${end.number}:${end.hash}`)
  })
