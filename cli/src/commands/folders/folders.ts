import { Command } from 'commander'
import type { Folder, FolderDetails } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import { collectPair } from '../../arguments/pairs.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { renderFields, renderMetadata } from '../../terminal/fields.ts'
import type { Style } from '../../terminal/style.ts'
import type { Column } from '../../terminal/table.ts'
import { relativeTime } from '../../terminal/times.ts'
import { folderDeletion } from './folder-deletion.ts'
import { renderTree } from './render-tree.ts'
import { folderHelp, ROOT, requireFolder, resolveFolder } from './resolve-folder.ts'
import { assertNoOther, findExisting } from './same-title.ts'

export function foldersCommand(cli: Cli): Command {
  return new Command('folders')
    .description('Manage folders')
    .addCommand(list(cli))
    .addCommand(tree(cli))
    .addCommand(show(cli))
    .addCommand(create(cli))
    .addCommand(rename(cli))
    .addCommand(update(cli))
    .addCommand(move(cli))
    .addCommand(folderDeletion(cli))
    .addCommand(restore(cli))
}

const columns: readonly Column<Folder>[] = [
  { title: 'uuid', cell: ({ uuid }) => uuid },
  { title: 'title', cell: ({ title }) => title, mayShrink: true },
]

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('List folders by title')
    .option('--in <folder>', `Only direct children of this folder: ${folderHelp}, or root`)
    .option('--query <text>', 'Only folders whose title contains this text')
    .action(async ({ in: parent, query, limit, all }: ListFoldersOptions) => {
      const reelkeep = await connect(cli)
      const list = reelkeep.folders.list({
        ...(parent && { parent: (await resolveFolder(reelkeep, parent)) ?? ROOT }),
        ...(query && { q: query }),
        ...(limit !== undefined && { limit }),
      })
      await printList(cli, list, { ...(all && { all }), plural: 'folders', columns })
    })

type ListFoldersOptions = ListOptions & { readonly in?: string; readonly query?: string }

const tree = (cli: Cli) =>
  new Command('tree')
    .description('Show the folder tree')
    .argument('[folder]', `Folder to start with: ${folderHelp}`, ROOT)
    .option('--depth <levels>', 'Maximum number of levels', wholeNumber)
    .action(async (name: string, { depth }: { depth?: number }) => {
      const reelkeep = await connect(cli)
      const parent = (await resolveFolder(reelkeep, name)) ?? ROOT
      const { results } = await reelkeep.folders.tree({
        parent,
        ...(depth !== undefined && { depth }),
      })
      if (results.length === 0 && !cli.output().isJson) return cli.output().note('No folders.')
      cli.output().result(results, (style) => renderTree(results, style))
    })

const show = (cli: Cli) =>
  new Command('show')
    .description('Show a folder and the number of items in it')
    .argument('<folder>', folderHelp)
    .action(async (name: string) => {
      const reelkeep = await connect(cli)
      const folder = await reelkeep.folders.read(await requireFolder(reelkeep, name))
      cli.output().result(folder, (style) => renderFolder(folder, style))
    })

const create = (cli: Cli) =>
  new Command('create')
    .description('Create a folder')
    .argument('<title>')
    .option('--in <folder>', `Parent folder: ${folderHelp}`, ROOT)
    .option('--if-missing', 'Print the existing folder if the parent folder has one with this title')
    .action(async (title: string, { in: into, ifMissing }: { in: string; ifMissing?: true }) => {
      const reelkeep = await connect(cli)
      const parent = await resolveFolder(reelkeep, into)
      const existing = ifMissing ? await findExisting(reelkeep, { parent, title }) : undefined
      const next = 'Use another title, or --if-missing to use the existing folder.'
      if (!ifMissing) await assertNoOther(reelkeep, { parent, title, next })
      const folder = existing ?? (await reelkeep.folders.create({ title, parent }))
      cli.output().result(folder, () => `${folder.uuid}  ${folder.title}`)
    })

const rename = (cli: Cli) =>
  new Command('rename')
    .description('Rename a folder')
    .argument('<folder>', folderHelp)
    .argument('<title>')
    .action(async (name: string, title: string) => {
      const reelkeep = await connect(cli)
      const uuid = await requireFolder(reelkeep, name)
      const { parent } = await reelkeep.folders.read(uuid)
      await assertNoOther(reelkeep, { uuid, parent, title, next: 'Use another title.' })
      const folder = await reelkeep.folders.update(uuid, { title })
      cli.output().result(folder, (style) => renderFolder(folder, style))
    })

type UpdateOptions = {
  readonly externalId?: string
  readonly metadata?: Record<string, string | null>
  readonly legalHold?: boolean
}

const update = (cli: Cli) =>
  new Command('update')
    .description('Change the external ID, metadata or legal hold of a folder')
    .argument('<folder>', folderHelp)
    .option('--external-id <id>', 'Your own identifier; empty to remove it')
    .option('--metadata <key=value>', 'Set a key, or remove it with an empty value; can be repeated', collectPair)
    .option('--legal-hold', 'Refuse to delete the folder and everything in it')
    .option('--no-legal-hold', 'Lift the legal hold')
    .action(async (name: string, { externalId, metadata, legalHold }: UpdateOptions) => {
      if (externalId === undefined && !metadata && legalHold === undefined)
        throw new CommandError('Nothing to change. Give --external-id, --metadata or --legal-hold.', exitCodes.usage)
      const reelkeep = await connect(cli)
      const folder = await reelkeep.folders.update(await requireFolder(reelkeep, name), {
        ...(externalId !== undefined && { external_id: externalId || null }),
        ...(metadata && { metadata }),
        ...(legalHold !== undefined && { legal_hold: legalHold }),
      })
      cli.output().result(folder, (style) => renderFolder(folder, style))
    })

const move = (cli: Cli) =>
  new Command('move')
    .description('Move a folder with its contents')
    .argument('<folder>', folderHelp)
    .argument('<parent>', `${folderHelp}, or root`)
    .action(async (name: string, into: string) => {
      const reelkeep = await connect(cli)
      const uuid = await requireFolder(reelkeep, name)
      const parent = await resolveFolder(reelkeep, into)
      const { title } = await reelkeep.folders.read(uuid)
      await assertNoOther(reelkeep, { uuid, parent, title, next: 'Rename one of them first: reelkeep folders rename' })
      const folder = await reelkeep.folders.move(uuid, { parent })
      cli.output().result(folder, (style) => renderFolder(folder, style))
    })

const restore = (cli: Cli) =>
  new Command('restore')
    .description('Restore a folder from the trash, with everything that was deleted with it')
    .argument('<uuid>', 'uuid of the folder; see reelkeep trash list')
    .action(async (uuid: string) => {
      const reelkeep = await connect(cli)
      const folder = await reelkeep.folders.restore(uuid)
      cli.output().result(folder, (style) => renderFolder(folder, style))
    })

const renderFolder = (folder: FolderDetails, style: Style): string =>
  renderFields(
    [
      ['folder', [...folder.path, folder].map(({ title }) => title).join('/'), (text) => style.paint('bold', text)],
      ['uuid', folder.uuid],
      ['folders', folder.folder_count],
      ['assets', folder.asset_count],
      ['external id', folder.external_id],
      ['metadata', renderMetadata(folder.metadata)],
      ['legal hold', folder.legal_hold ? 'yes' : null],
      ['created', relativeTime(folder.created_at, style.now)],
      ['updated', relativeTime(folder.updated_at, style.now)],
    ],
    style,
  )
