import { Command } from 'commander'
import { readStdin } from '../../arguments/input.ts'
import type { Cli } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/amounts.ts'
import { withEditedText } from '../../terminal/editor.ts'
import { canAsk, mustConfirm } from '../../terminal/prompts.ts'
import { type Column, drawTable } from '../../terminal/table.ts'
import { assetHelp, namedAsset } from '../assets/named-asset.ts'
import { chapterLinesAlone, linesIn, type WrittenChapter } from './chapter-texts.ts'

type Options = { readonly replace?: boolean; readonly yes?: boolean }

const HELP = `
# Paste the description of the video above this line, save and leave.
# Lines that begin with a time become chapters, such as
#   0:00 Opening
#   12:30 - Questions
`

export const pasteCommand = (cli: Cli): Command =>
  new Command('paste')
    .description("add chapters from a video's description: from stdin, or from your editor")
    .argument('<asset>', assetHelp)
    .option('--replace', 'take the chapters that were there away')
    .option('--yes', 'do not ask')
    .action(async (name: string, options: Options) => {
      // Before anybody writes anything for a video that is not there.
      const asset = await namedAsset(cli, name)
      if (canAsk(cli))
        await withEditedText(cli, HELP, (text) => addFrom(cli, { text, asset, ...options }))
      else await addFrom(cli, { text: await readStdin(cli), asset, ...options })
    })

type Pasted = Options & {
  readonly text: string
  readonly asset: Awaited<ReturnType<typeof namedAsset>>
}

async function addFrom(cli: Cli, { text, asset, replace = false, yes }: Pasted): Promise<void> {
  const found = linesIn(text)
  assertSome(found)
  cli.output().note((look) => drawTable(columns, found, look))
  // Who pipes a text in has said what is wanted, and adding can be taken back; taking away cannot.
  const question = `Add ${counted(found.length, 'chapter')}${replace ? ' in place of those there' : ''}?`
  if (canAsk(cli) || replace) await mustConfirm(cli, { question, yes })
  const { results } = await asset.reelkeep.chapters.import(asset.id, {
    format: 'lines',
    text: chapterLinesAlone(text),
    replace,
  })
  cli.output().result(results, () => `Added ${counted(results.length, 'chapter')}.`)
}

const columns: readonly Column<WrittenChapter>[] = [
  { title: 'start', cell: ({ start }) => start, isNumber: true },
  { title: 'title', cell: ({ title }) => title, mayShrink: true },
]

function assertSome(found: readonly WrittenChapter[]): void {
  if (found.length > 0) return
  throw new CommandError(
    'No line begins with a time.',
    exitCodes.usage,
    'Chapters look like this: 12:30 Questions',
  )
}
