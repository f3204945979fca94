import { Command } from 'commander'
import type { Folder, FolderDetails } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import { type Cli, connect } from '../../cli.ts'
import { drawFields } from '../../terminal/fields.ts'
import type { Look } from '../../terminal/look.ts'
import type { Column } from '../../terminal/table.ts'
import { relativeTime } from '../../terminal/times.ts'
import { folderDeletion } from './folder-deletion.ts'
import { folderHelp, ROOT, requireFolder, resolveFolder } from './resolve-folder.ts'
import { drawTree } from './tree-drawing.ts'

export function foldersCommand(cli: Cli): Command {
  return new Command('folders')
    .description('folders, and the tree they make')
    .addCommand(list(cli))
    .addCommand(tree(cli))
    .addCommand(show(cli))
    .addCommand(create(cli))
    .addCommand(rename(cli))
    .addCommand(move(cli))
    .addCommand(folderDeletion(cli))
}

const columns: readonly Column<Folder>[] = [
  { title: 'uuid', cell: ({ uuid }) => uuid },
  { title: 'title', cell: ({ title }) => title, mayShrink: true },
]

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('folders, by title')
    .option('--in <folder>', `only those directly in a folder (${folderHelp}, or root)`)
    .option('--query <text>', 'only those whose title contains this')
    .action(async ({ in: parent, query, limit, all }: ListFoldersOptions) => {
      const reelkeep = await connect(cli)
      const list = reelkeep.folders.list({
        ...(parent && { parent: (await resolveFolder(reelkeep, parent)) ?? ROOT }),
        ...(query && { q: query }),
        ...(limit !== undefined && { limit }),
      })
      await printList(cli, list, { ...(all && { all }), things: 'folders', columns })
    })

type ListFoldersOptions = ListOptions & { readonly in?: string; readonly query?: string }

const tree = (cli: Cli) =>
  new Command('tree')
    .description('the tree of folders')
    .argument('[folder]', `where to begin: ${folderHelp}`, ROOT)
    .option('--depth <levels>', 'how many levels to show', wholeNumber)
    .action(async (name: string, { depth }: { depth?: number }) => {
      const reelkeep = await connect(cli)
      const parent = (await resolveFolder(reelkeep, name)) ?? ROOT
      const { results } = await reelkeep.folders.tree({
        parent,
        ...(depth !== undefined && { depth }),
      })
      if (results.length === 0 && !cli.output().isJson) return cli.output().note('No folders.')
      cli.output().result(results, (look) => drawTree(results, look))
    })

const show = (cli: Cli) =>
  new Command('show')
    .description('one folder, and how much is in it')
    .argument('<folder>', folderHelp)
    .action(async (name: string) => {
      const reelkeep = await connect(cli)
      const folder = await reelkeep.folders.read(await requireFolder(reelkeep, name))
      cli.output().result(folder, (look) => drawFolder(folder, look))
    })

const create = (cli: Cli) =>
  new Command('create')
    .description('create a folder')
    .argument('<title>')
    .option('--in <folder>', `where, instead of at the root: ${folderHelp}`, ROOT)
    .action(async (title: string, options: { in: string }) => {
      const reelkeep = await connect(cli)
      const parent = await resolveFolder(reelkeep, options.in)
      const folder = await reelkeep.folders.create({ title, parent })
      cli.output().result(folder, () => `${folder.uuid}  ${folder.title}`)
    })

const rename = (cli: Cli) =>
  new Command('rename')
    .description('give a folder another title')
    .argument('<folder>', folderHelp)
    .argument('<title>')
    .action(async (name: string, title: string) => {
      const reelkeep = await connect(cli)
      const uuid = await requireFolder(reelkeep, name)
      const folder = await reelkeep.folders.rename(uuid, { title })
      cli.output().result(folder, (look) => drawFolder(folder, look))
    })

const move = (cli: Cli) =>
  new Command('move')
    .description('move a folder with all that it holds')
    .argument('<folder>', folderHelp)
    .argument('<into>', `${folderHelp}, or root`)
    .action(async (name: string, into: string) => {
      const reelkeep = await connect(cli)
      const uuid = await requireFolder(reelkeep, name)
      const folder = await reelkeep.folders.move(uuid, {
        parent: await resolveFolder(reelkeep, into),
      })
      cli.output().result(folder, (look) => drawFolder(folder, look))
    })

const drawFolder = (folder: FolderDetails, look: Look): string =>
  drawFields(
    [
      [
        'folder',
        [...folder.path, folder].map(({ title }) => title).join('/'),
        (text) => look.paint('bold', text),
      ],
      ['uuid', folder.uuid],
      ['folders in it', folder.folder_count],
      ['assets in it', folder.asset_count],
      ['created', relativeTime(folder.created_at, look.now)],
      ['changed', relativeTime(folder.updated_at, look.now)],
    ],
    look,
  )
