import { Command } from 'commander'
import { readStdin } from '../../arguments/input.ts'
import type { Cli } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/amounts.ts'
import { withEditedText } from '../../terminal/programs/editor.ts'
import { canAsk, mustConfirm } from '../../terminal/prompts.ts'
import { type Column, renderTable } from '../../terminal/table.ts'
import { assetHelp, resolveAsset } from '../assets/resolve-asset.ts'
import { onlyChapterLines, type ParsedChapter, parseChapterLines } from './chapter-texts.ts'

type Options = { readonly replace?: boolean; readonly yes?: boolean }

const HELP = `
# Paste the description of the video above this line, then save and quit.
# Lines that start with a time become chapters, for example
#   0:00 Opening
#   12:30 - Questions
`

export const pasteCommand = (cli: Cli): Command =>
  new Command('paste')
    .description('Add chapters from a video description, from stdin or your editor')
    .argument('<asset>', assetHelp)
    .option('--replace', 'Replace existing chapters')
    .option('--yes', 'Skip the confirmation')
    .action(async (name: string, options: Options) => {
      const asset = await resolveAsset(cli, name)
      if (canAsk(cli)) await withEditedText(cli, HELP, (text) => addFrom(cli, { text, asset, ...options }))
      else await addFrom(cli, { text: await readStdin(cli), asset, ...options })
    })

type Pasted = Options & {
  readonly text: string
  readonly asset: Awaited<ReturnType<typeof resolveAsset>>
}

async function addFrom(cli: Cli, { text, asset, replace = false, yes }: Pasted): Promise<void> {
  const found = parseChapterLines(text)
  assertSome(found)
  cli.output().note((style) => renderTable(columns, found, style))
  // Piped input needs no confirmation, unless existing chapters are replaced.
  const question = `Add ${counted(found.length, 'chapter')}${replace ? ' and replace the existing ones' : ''}?`
  if (canAsk(cli) || replace) await mustConfirm(cli, { question, yes })
  const { results } = await asset.reelkeep.chapters.import(asset.id, {
    format: 'lines',
    text: onlyChapterLines(text),
    replace,
  })
  cli.output().result(results, () => `Added ${counted(results.length, 'chapter')}.`)
}

const columns: readonly Column<ParsedChapter>[] = [
  { title: 'start', cell: ({ start }) => start, isNumber: true },
  { title: 'title', cell: ({ title }) => title, mayShrink: true },
]

function assertSome(found: readonly ParsedChapter[]): void {
  if (found.length > 0) return
  throw new CommandError('No line starts with a time.', exitCodes.usage, 'Example of a chapter: 12:30 Questions')
}
