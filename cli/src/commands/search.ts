import { Command, Option } from 'commander'
import type { Moment, SearchResult } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import { type Cli, connect } from '../cli.ts'
import { openInBrowser } from '../terminal/programs/browser.ts'
import type { Column } from '../terminal/table.ts'

type SearchOptions = ListOptions & {
  readonly folder?: string
  readonly recursive?: true
  readonly tag?: string[]
  readonly in?: string
  readonly mode?: 'lexical' | 'semantic' | 'hybrid'
  readonly open?: true
}

export const searchCommand = (cli: Cli): Command =>
  withListOptions(new Command('search'))
    .description('Find words in titles, chapters and subtitles')
    .argument('<words>', 'Words to find; the last may be the beginning of a word')
    .addOption(new Option('--folder <uuid>', 'Search only in this folder; "root" for the root'))
    .option('--recursive', 'With --folder: also in its subfolders')
    .option('--tag <tag...>', 'Search only in videos that have all of these tags')
    .option('--in <texts>', 'Search only "titles", "chapters" or "transcript", separated by commas')
    .addOption(
      new Option('--mode <mode>', 'Compare words, meanings, or both').choices(['lexical', 'semantic', 'hybrid']),
    )
    .option('--open', 'Open the best moment in the browser')
    .action(async (words: string, { all, limit, open, ...filters }: SearchOptions) => {
      const reelkeep = await connect(cli)
      const query = { q: words, ...filters, ...(limit === undefined ? {} : { limit }) }
      if (open) return openBest(cli, (await reelkeep.search.moments({ ...query, limit: 1 })).results[0])
      await printList(cli, reelkeep.search.moments(query), { ...(all && { all }), plural: 'videos', columns })
    })

async function openBest(cli: Cli, result: SearchResult | undefined): Promise<void> {
  const moment = result?.moments[0]
  if (!result || !moment) {
    cli.output().result(null, () => 'No moments found.')
    return
  }
  await openInBrowser(moment.link)
  cli.output().result(moment, ({ paint }) => `${result.asset.title} ${timeOf(moment)}\n${paint('gray', moment.link)}`)
}

const columns: readonly Column<SearchResult>[] = [
  { title: 'id', cell: ({ asset }) => asset.id },
  { title: 'at', cell: ({ moments: [best] }) => (best ? timeOf(best) : '') },
  { title: 'title', cell: ({ asset }) => asset.title, mayShrink: true },
  { title: 'text', cell: ({ moments: [best] }) => (best ? excerptOf(best) : ''), mayShrink: true },
]

/** Characters before the first matching word. */
const CONTEXT_LENGTH = 24

/** The text from shortly before the first matching word, which a narrow terminal would cut off. */
function excerptOf({ text, highlights: [first] }: Moment): string {
  const start = text.lastIndexOf(' ', Math.max(0, (first?.start ?? 0) - CONTEXT_LENGTH)) + 1
  return start === 0 ? text : `…${text.slice(start)}`
}

/** For example 1:02:03. */
function timeOf({ start_seconds }: Moment): string {
  const seconds = Math.floor(start_seconds)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const padded = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(seconds % 60)}` : `${minutes}:${padded(seconds % 60)}`
}
