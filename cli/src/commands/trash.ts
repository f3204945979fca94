import { Command } from 'commander'
import type { TrashItem } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import { type Cli, connect } from '../cli.ts'
import type { Column } from '../terminal/table.ts'
import { relativeTime } from '../terminal/times.ts'

export const trashCommand = (cli: Cli): Command =>
  new Command('trash').description('Show deleted assets and folders').addCommand(list(cli))

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('List what can be restored, most recently deleted first')
    .action(async ({ all, limit }: ListOptions) => {
      const reelkeep = await connect(cli)
      await printList(cli, reelkeep.trash.list(limit === undefined ? {} : { limit }), {
        ...(all && { all }),
        plural: 'items',
        columns,
      })
    })

const columns: readonly Column<TrashItem>[] = [
  { title: 'id', cell: ({ asset, folder }) => asset?.id ?? folder?.uuid ?? '' },
  { title: 'title', cell: ({ asset, folder }) => asset?.title ?? folder?.title ?? '', mayShrink: true },
  { title: 'type', cell: ({ type }) => type },
  { title: 'deleted', cell: ({ deleted_at }, { now }) => relativeTime(deleted_at, now) },
  { title: 'purged', cell: ({ purge_at }, { now }) => relativeTime(purge_at, now) },
]
