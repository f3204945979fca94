import { Command, InvalidArgumentError, Option } from 'commander'
import type { Chapter, ChapterProposal, TranscriptProposal } from 'reelkeep'
import { readInput } from '../../arguments/input.ts'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import { type ChapterFormat, chapterFormats } from '../../arguments/values.ts'
import type { Cli } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/amounts.ts'
import { mustConfirm } from '../../terminal/prompts.ts'
import { type Column, renderTable } from '../../terminal/table.ts'
import { assetHelp, resolveAsset } from '../assets/resolve-asset.ts'
import { detectFormat } from './chapter-texts.ts'
import { pasteCommand } from './paste.ts'

export function chaptersCommand(cli: Cli): Command {
  return new Command('chapters')
    .description('Manage chapters of an asset')
    .addCommand(list(cli))
    .addCommand(add(cli))
    .addCommand(deletion(cli))
    .addCommand(importing(cli))
    .addCommand(exporting(cli))
    .addCommand(proposing(cli))
    .addCommand(pasteCommand(cli))
}

const onAsset = (name: string, description: string) =>
  new Command(name).description(description).argument('<asset>', assetHelp)

const columns: readonly Column<Chapter>[] = [
  { title: 'id', cell: ({ id }) => id, isNumber: true },
  { title: 'start', cell: ({ start_time, start_seconds }) => start_time + fractionOf(start_seconds) },
  { title: 'title', cell: ({ title }) => title, mayShrink: true },
]

/** The milliseconds as `.480`; empty for a whole second. */
const fractionOf = (seconds: number) => (Number.isInteger(seconds) ? '' : (seconds % 1).toFixed(3).slice(1))

const list = (cli: Cli) =>
  withListOptions(onAsset('list', 'List chapters by start time')).action(
    async (name: string, { limit, all }: ListOptions) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const list = reelkeep.chapters.list(id, { ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), plural: 'chapters', columns })
    },
  )

const add = (cli: Cli) =>
  onAsset('add', 'Add a chapter')
    .argument('<start>', 'Start time, such as 1:02:03 or 4:30.5, or in seconds, such as 45', startTime)
    .argument('<title>')
    .action(async (name: string, start_seconds: number, title: string) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const { results } = await reelkeep.chapters.add(id, {
        chapters: [{ title, start_seconds }],
      })
      cli.output().result(results, (style) => renderTable(columns, results, style))
    })

/** Maximum start time, 99:59:59.999: the service returns two digits for the hours. */
const START_SECONDS_MAX = 100 * 3600 - 0.001

/** Converts a start time to seconds. */
function startTime(text: string): number {
  const seconds = startSeconds(text)
  if (seconds === undefined || seconds > START_SECONDS_MAX)
    throw new InvalidArgumentError('Must be a time, such as 1:02:03 or 4:30.5, or seconds, such as 45.')
  return seconds
}

function startSeconds(text: string): number | undefined {
  if (/^\d{1,15}(\.\d{1,3})?$/.test(text)) return Number(text)
  const [, hours = 0, minutes, seconds] = /^(?:(\d{1,2}):)?([0-5]?\d):([0-5]\d(?:\.\d{1,3})?)$/.exec(text) ?? []
  if (seconds === undefined) return undefined
  // Rounded, because binary fractions are inexact.
  return Math.round((Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000) / 1000
}

const deletion = (cli: Cli) =>
  onAsset('delete', 'Delete a chapter')
    .argument('<chapter>', 'Chapter id', wholeNumber)
    .option('--yes', 'Skip the confirmation')
    .action(async (name: string, id: number, { yes }: { yes?: true }) => {
      const { reelkeep, id: assetId } = await resolveAsset(cli, name)
      await mustConfirm(cli, { question: `Delete chapter ${id} of ${name}?`, yes })
      await reelkeep.chapters.delete(assetId, id)
      cli.output().result({ asset_id: assetId, id, deleted: true }, () => `Deleted chapter ${id}.`)
    })

const formatOption = (description: string) => new Option('--format <format>', description).choices(chapterFormats)

type ImportOptions = {
  readonly format?: ChapterFormat
  readonly replace?: boolean
  readonly yes?: boolean
}

const importing = (cli: Cli) =>
  onAsset('import', 'Import chapters from a file')
    .argument('<file>', 'File, or - for stdin')
    .addOption(formatOption('Format of the file, if it cannot be detected'))
    .option('--replace', 'Replace existing chapters')
    .option('--yes', 'Skip the confirmation of --replace')
    .action(async (name: string, file: string, options: ImportOptions) => {
      const { replace = false, yes } = options
      const text = await readInput(cli, file)
      const format = options.format ?? requireFormat(file, text)
      const { reelkeep, id } = await resolveAsset(cli, name)
      const question = `Replace the chapters of ${name} with those in ${file}?`
      if (replace) await mustConfirm(cli, { question, yes })
      const { results } = await reelkeep.chapters.import(id, { format, text, replace })
      cli.output().result(results, (style) => renderTable(columns, results, style))
      cli.output().note(`Imported ${counted(results.length, 'chapter')}.`)
    })

function requireFormat(file: string, text: string): ChapterFormat {
  const format = detectFormat(file, text)
  if (format) return format
  throw new CommandError(
    'Cannot detect the format of the chapters.',
    exitCodes.usage,
    `Specify it: --format ${chapterFormats.join('|')}`,
  )
}

const exporting = (cli: Cli) =>
  onAsset('export', 'Export chapters as text')
    .addOption(formatOption('Output format').default('webvtt' satisfies ChapterFormat))
    .action(async (name: string, { format }: { format: ChapterFormat }) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      cli.output().text(await reelkeep.chapters.export(id, { format }))
    })

const proposalColumns: readonly Column<ChapterProposal>[] = [
  { title: 'seconds', cell: ({ start_seconds }) => start_seconds.toFixed(3), isNumber: true },
  { title: 'kind', cell: ({ kind }) => kind },
  { title: 'pause', cell: ({ pause_seconds: pause }) => (pause === null ? '' : `${pause} s`) },
]

const topicColumns: readonly Column<TranscriptProposal>[] = [
  { title: 'seconds', cell: ({ start_seconds }) => start_seconds.toFixed(3), isNumber: true },
  { title: 'title', cell: ({ title }) => title ?? '', mayShrink: true },
]

const proposing = (cli: Cli) =>
  onAsset('propose', 'Show where chapters could start: scene changes, and the ends of pauses')
    .option('--transcript', 'show where the topic of the subtitles changes, with titles')
    .action(async (name: string, { transcript }: { readonly transcript?: true }) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      if (transcript) {
        const topics = await reelkeep.chapters.propose(id)
        cli.output().result(topics, (style) => renderTable(topicColumns, topics.proposals, style))
        return
      }
      const found = await reelkeep.chapters.readProposals(id)
      cli.output().result(found, (style) => renderTable(proposalColumns, found.proposals, style))
    })
