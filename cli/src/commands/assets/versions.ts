import { Command } from 'commander'
import type { Version } from 'reelkeep'
import { printList } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import type { Cli } from '../../cli.ts'
import { byteCount } from '../../terminal/amounts.ts'
import { paintStatus } from '../../terminal/statuses.ts'
import { type Column, renderTable } from '../../terminal/table.ts'
import { relativeTime } from '../../terminal/times.ts'
import { renderAsset } from './render-asset.ts'
import { assetHelp, resolveAsset } from './resolve-asset.ts'

export function versionsCommand(cli: Cli): Command {
  return new Command('versions')
    .description('Replace the file of an asset, and roll back')
    .addCommand(list(cli))
    .addCommand(upload(cli))
    .addCommand(activate(cli))
}

const onAsset = (name: string, description: string) =>
  new Command(name).description(description).argument('<asset>', assetHelp)

const columns: readonly Column<Version>[] = [
  { title: 'version', cell: ({ number }) => String(number) },
  { title: 'status', cell: ({ status }) => status, paint: (text, _, style) => paintStatus(text, style) },
  { title: 'active', cell: ({ is_active }) => (is_active ? 'yes' : '') },
  { title: 'size', cell: ({ bytes }) => (bytes === null ? '' : byteCount(bytes)), rank: 1 },
  { title: 'created', cell: ({ created_at }, { now }) => relativeTime(created_at, now), rank: 2 },
]

const list = (cli: Cli) =>
  onAsset('list', 'List the versions of an asset, newest first').action(async (name: string) => {
    const { reelkeep, id } = await resolveAsset(cli, name)
    await printList(cli, reelkeep.versions.list(id), { plural: 'versions', columns })
  })

const upload = (cli: Cli) =>
  onAsset('upload', 'Upload a file as a new version, which plays when it has been processed')
    .argument('<file>', 'Video file')
    .action(async (name: string, file: string) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const version = await reelkeep.versions.upload(id, file)
      cli.output().note(`Uploaded version ${version.number}. The current version plays until it is processed.`)
      cli.output().result(version, (style) => renderTable(columns, [version], style))
    })

const activate = (cli: Cli) =>
  onAsset('activate', 'Play another version, for example the previous one')
    .argument('<version>', 'Number of the version', wholeNumber)
    .action(async (name: string, number: number) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const asset = await reelkeep.versions.activate(id, number)
      cli.output().result(asset, (style) => renderAsset(asset, style))
    })
