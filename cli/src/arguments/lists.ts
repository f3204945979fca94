import type { Command } from 'commander'
import type { List, Page } from 'reelkeep'
import type { Cli } from '../cli.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { type Column, renderTable } from '../terminal/table.ts'
import { wholeNumber } from './numbers.ts'

/** Maximum number of items that a command lists, to bound memory use. */
export const ITEMS_MAX = 100_000

export type ListOptions = { readonly limit?: number; readonly all?: true }

export const withListOptions = (command: Command): Command =>
  command.option('--limit <count>', 'Maximum number of results', wholeNumber).option('--all', 'Show all results')

/** Prints the first page, or all items with `--all`. */
export async function printList<Item>(
  cli: Cli,
  list: List<Page<Item>>,
  { all, plural, columns }: ListOptions & { readonly plural: string; readonly columns: readonly Column<Item>[] },
): Promise<void> {
  const page = await list
  const { items, isTooLong } = all ? await everyItem(list) : { items: page.results, isTooLong: false }
  const output = cli.output()
  if (items.length === 0 && !output.isJson) return output.note(`No ${plural}.`)
  output.result(items, (style) => renderTable(columns, items, style))
  if (isTooLong) throw tooMany(plural)
  if (!all && page.next !== null) output.warning(rest(page.count, items.length, plural))
}

export const tooMany = (plural: string): CommandError =>
  new CommandError(
    `There are more than ${ITEMS_MAX.toLocaleString('en')} ${plural}; only the first ones are shown.`,
    exitCodes.failed,
    'Use filters, or read the list page by page with the API.',
  )

const rest = (count: number | null | undefined, shown: number, plural: string) =>
  count == null
    ? 'There are more results. Use --all to show all.'
    : `Showing ${shown.toLocaleString('en')} of ${count.toLocaleString('en')} ${plural}. Use --all to show all.`

async function everyItem<Item>(list: List<Page<Item>>) {
  const items: Item[] = []
  for await (const item of list) {
    if (items.length >= ITEMS_MAX) return { items, isTooLong: true }
    items.push(item)
  }
  return { items, isTooLong: false }
}
