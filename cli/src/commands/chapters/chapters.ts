import { Command, InvalidArgumentError, Option } from 'commander'
import type { Chapter } from 'reelkeep'
import { readInput } from '../../arguments/input.ts'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import { type ChapterFormat, chapterFormats } from '../../arguments/values.ts'
import type { Cli } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/amounts.ts'
import { mustConfirm } from '../../terminal/prompts.ts'
import { type Column, drawTable } from '../../terminal/table.ts'
import { assetHelp, namedAsset } from '../assets/named-asset.ts'
import { guessedFormat } from './chapter-texts.ts'
import { pasteCommand } from './paste.ts'

export function chaptersCommand(cli: Cli): Command {
  return new Command('chapters')
    .description('chapters of a video')
    .addCommand(list(cli))
    .addCommand(add(cli))
    .addCommand(deletion(cli))
    .addCommand(importing(cli))
    .addCommand(exporting(cli))
    .addCommand(pasteCommand(cli))
}

const onAsset = (name: string, description: string) =>
  new Command(name).description(description).argument('<asset>', assetHelp)

const columns: readonly Column<Chapter>[] = [
  { title: 'id', cell: ({ id }) => id, isNumber: true },
  { title: 'start', cell: ({ start_time }) => start_time },
  { title: 'title', cell: ({ title }) => title, mayShrink: true },
]

const list = (cli: Cli) =>
  withListOptions(onAsset('list', 'chapters, by start')).action(
    async (name: string, { limit, all }: ListOptions) => {
      const { reelkeep, id } = await namedAsset(cli, name)
      const list = reelkeep.chapters.list(id, { ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), things: 'chapters', columns })
    },
  )

const add = (cli: Cli) =>
  onAsset('add', 'add a chapter')
    .argument('<start>', 'such as 1:02:03 or 4:30', startTime)
    .argument('<title>')
    .action(async (name: string, start: string, title: string) => {
      const { reelkeep, id } = await namedAsset(cli, name)
      const { results } = await reelkeep.chapters.add(id, {
        chapters: [{ title, start_time: start }],
      })
      cli.output().result(results, (look) => drawTable(columns, results, look))
    })

/** People leave out the hours of a short video; the service wants them. */
function startTime(text: string): string {
  const [, hours = '', minutes = '', seconds] =
    /^(?:(\d{1,2}):)?([0-5]?\d):([0-5]\d)$/.exec(text) ?? []
  if (seconds === undefined)
    throw new InvalidArgumentError('It is not a time, such as 1:02:03 or 4:30.')
  return `${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}:${seconds}`
}

const deletion = (cli: Cli) =>
  onAsset('delete', 'delete a chapter')
    .argument('<chapter>', 'its id', wholeNumber)
    .option('--yes', 'do not ask')
    .action(async (name: string, id: number, { yes }: { yes?: true }) => {
      const { reelkeep, id: assetId } = await namedAsset(cli, name)
      await mustConfirm(cli, { question: `Delete chapter ${id} of ${name}?`, yes })
      await reelkeep.chapters.delete(assetId, id)
      cli.output().result({ asset_id: assetId, id, deleted: true }, () => `Deleted chapter ${id}.`)
    })

const formatOption = (description: string) =>
  new Option('--format <format>', description).choices(chapterFormats)

type ImportOptions = {
  readonly format?: ChapterFormat
  readonly replace?: boolean
  readonly yes?: boolean
}

const importing = (cli: Cli) =>
  onAsset('import', 'add the chapters of a file')
    .argument('<file>', 'a file, or - for stdin')
    .addOption(formatOption('of the file, if it cannot be seen from it'))
    .option('--replace', 'take the chapters that were there away')
    .option('--yes', 'do not ask before they are taken away')
    .action(async (name: string, file: string, options: ImportOptions) => {
      const { replace = false, yes } = options
      const text = await readInput(cli, file)
      const format = options.format ?? mustGuess(file, text)
      const { reelkeep, id } = await namedAsset(cli, name)
      const question = `Import ${file} in place of the chapters of ${name}?`
      if (replace) await mustConfirm(cli, { question, yes })
      const { results } = await reelkeep.chapters.import(id, { format, text, replace })
      cli.output().result(results, (look) => drawTable(columns, results, look))
      cli.output().note(`Imported ${counted(results.length, 'chapter')}.`)
    })

function mustGuess(file: string, text: string): ChapterFormat {
  const format = guessedFormat(file, text)
  if (format) return format
  throw new CommandError(
    'It cannot be seen in which format that is.',
    exitCodes.usage,
    `Say it: --format ${chapterFormats.join('|')}`,
  )
}

const exporting = (cli: Cli) =>
  onAsset('export', 'print the chapters as a text that other programs read')
    .addOption(formatOption('to write').default('webvtt' satisfies ChapterFormat))
    .action(async (name: string, { format }: { format: ChapterFormat }) => {
      const { reelkeep, id } = await namedAsset(cli, name)
      cli.output().text(await reelkeep.chapters.export(id, { format }))
    })
